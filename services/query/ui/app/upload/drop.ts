// Dropped and chosen files, with the folders that contain them.
import type { Dropped } from "./queue.js";

/** Returns the files of a drop or a paste. It must be called during the event. */
export function dropped(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  return Promise.all(entries.map(async (entry) => {
    if (entry instanceof File) return [{ file: entry, folders: [] }];
    return entry ? await walk(entry, []) : [];
  })).then((lists) => lists.flat());
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
