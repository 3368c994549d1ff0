// Dropped and chosen files, with the folders that contain them, and with handles where the browser has them.
import type { Dropped } from "./queue.js";

declare global {
  interface DataTransferItem {
    getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
  }
  interface FileSystemHandle {
    requestPermission?(what: { mode: "read" }): Promise<PermissionState>;
  }
  interface Window {
    showOpenFilePicker?(how: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
  }
}

/** Returns the files of a drop or a paste. It must be called during the event. */
export function dropped(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => {
    const entry = item.webkitGetAsEntry() ?? item.getAsFile();
    const handle = entry instanceof File || entry?.isFile ? item.getAsFileSystemHandle?.().catch(() => null) : undefined;
    return { entry, handle };
  });
  return Promise.all(entries.map(async ({ entry, handle }) => {
    if (!entry) return [];
    const found = entry instanceof File ? [{ file: entry, folders: [] }] : await walk(entry, []);
    const of = await handle;
    return of instanceof FileSystemFileHandle ? found.map((f) => ({ ...f, handle: of })) : found;
  })).then((lists) => lists.flat());
}

/** Lets the user choose files. Resolves to undefined in browsers that have no handles, and to none if the user cancels. */
export async function pick(): Promise<Dropped[] | undefined> {
  if (!window.showOpenFilePicker) return undefined;
  try {
    const handles = await window.showOpenFilePicker({ multiple: true });
    return await Promise.all(handles.map(async (handle) => ({ file: await handle.getFile(), folders: [], handle })));
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError" ? [] : undefined;
  }
}

/** Reads a file again after a reload, if the user permits it and it has not been moved. */
export async function reopen(handle: FileSystemFileHandle): Promise<File | undefined> {
  try {
    if (handle.requestPermission && await handle.requestPermission({ mode: "read" }) !== "granted") return undefined;
    return await handle.getFile();
  } catch {
    return undefined;
  }
}

async function walk(entry: FileSystemEntry, folders: string[]): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => { (entry as FileSystemFileEntry).file(done, failed); });
    return file.name === ".DS_Store" ? [] : [{ file, folders }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader(), found: Dropped[] = [];
  for (;;) { // a reader returns at most 100 entries at a time
    const some = await new Promise<FileSystemEntry[]>((done, failed) => { reader.readEntries(done, failed); });
    if (some.length === 0) return found;
    for (const child of some) found.push(...await walk(child, [...folders, entry.name]));
  }
}

/** Returns chosen files, with their paths if a folder was chosen. */
export function chosen(list: FileList): Dropped[] {
  return [...list].map((file) => ({ file, folders: file.webkitRelativePath.split("/").slice(0, -1).filter(Boolean) }));
}
