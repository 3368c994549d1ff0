// Uploads to the library: into the folder of the current page, with the structure of dropped folders.
import { signal } from "@preact/signals";
import { api, data } from "../api/client.js";
import { identityHeaders, owner } from "../api/identity.js";
import { uploadMultipart } from "../upload/multipart.js";
import { uploadInParts } from "../upload/parts.js";
import type { Ended, Sending, Sent, Target, Transfer } from "../upload/target.js";
import { type Node, reasonOf } from "./view.js";

/** The folder that the current page shows, if it can be changed. */
export const here = signal<{ id: string; name: string } | undefined>(undefined);

/** The file size in bytes from which uploads are multipart and resumable. */
const inPartsFrom = 8 * 1024 * 1024;

interface Batch {
  /** The root by default. */
  parentId: string | undefined;
  /** Folders of the batch, by their path from parentId. */
  folders: Map<string, Promise<string>>;
}

export const upload: Target = {
  label: "Library",
  accepts: () => true,
  here: () => here.value && { label: here.value.name, options: here.value.id },
  begin: (_, options) => Promise.resolve<Batch>({ parentId: options as string | undefined, folders: new Map() }),
  start: (sending) => {
    const batch = sending.batch as Batch;
    return afterwards(folderOf(batch, sending.folders), (parentId) => sending.file.size >= inPartsFrom
      ? parts(sending, parentId)
      : inOneRequest(sending, parentId));
  },
  discard: (id) => api.DELETE("/v1/library/nodes/{id}", { params: { path: { id }, query: { permanent: true } } }).then(data),
  reason: reasonOf,
  check: async (id) => ended(await api.GET("/v1/library/nodes/{id}", { params: { path: { id } } }).then(data)),
};

function ended(node: Node): Ended | undefined {
  if (node.status === "Failed") return { ok: false, text: reasonOf(node) || "The file could not be processed." };
  if (node.status === "ProcessedPartially") return { ok: true, text: reasonOf(node) };
  return node.status === "Processed" ? { ok: true, text: "" } : undefined;
}

/** Returns the folder at a path below the folder of the batch. Creates it if it does not exist. */
function folderOf(batch: Batch, path: string[]): Promise<string | undefined> {
  const name = path.at(-1);
  if (name === undefined) return Promise.resolve(batch.parentId);
  const key = path.join("/");
  let folder = batch.folders.get(key);
  if (!folder) {
    folder = folderOf(batch, path.slice(0, -1)).then((parentId) => child(parentId, name));
    batch.folders.set(key, folder);
    folder.catch(() => batch.folders.delete(key)); // when the file is retried, the folder is requested again
  }
  return folder;
}

async function child(parentId: string | undefined, name: string): Promise<string> {
  const parent = parentId ?? (await api.GET("/v1/library/nodes/root").then(data)).id;
  let cursor: string | undefined;
  do {
    const query = { type: "Folder" as const, limit: 1000, ...cursor ? { cursor } : {} };
    const page = await api.GET("/v1/library/nodes/{id}/children", { params: { path: { id: parent }, query } }).then(data);
    const found = page.nodes.find((n) => n.name === name.normalize("NFC"));
    if (found) return found.id;
    cursor = page.nextCursor;
  } while (cursor);
  return (await api.POST("/v1/library/folders", { body: { name, ...parentId ? { parentId } : {} } }).then(data)).id;
}

const sent = (id: string): Sent => ({ id, href: `/library/${encodeURIComponent(id)}` });

function inOneRequest({ file, idempotencyKey, onProgress }: Sending, parentId: string | undefined): Transfer<Sent> {
  const transfer = uploadMultipart<Node>({
    url: "/v1/library/files", file, fields: parentId ? { parentId } : {}, idempotencyKey, onProgress,
  });
  return { ...transfer, promise: transfer.promise.then((node) => sent(node.id)) };
}

function parts({ file, onProgress, onReserved }: Sending, parentId: string | undefined): Transfer<Sent> {
  const transfer = uploadInParts(file, {
    area: "library", headers: identityHeaders, owner: owner.value, storage: localStorage, onProgress, onReserved,
    ...parentId ? { parentId } : {},
  });
  return {
    promise: transfer.promise.then(({ id }) => sent(id)),
    pause: () => transfer.pause(), resume: () => transfer.resume(), cancel: () => transfer.cancel(),
  };
}

/** A transfer that starts when a promise resolves. */
function afterwards<T>(ready: Promise<T>, begin: (value: T) => Transfer<Sent>): Transfer<Sent> {
  let inner: Transfer<Sent> | undefined, paused = false, canceled = false;
  return {
    promise: ready.then((value) => {
      if (canceled) throw new DOMException("The upload was canceled.", "AbortError");
      inner = begin(value);
      if (paused) inner.pause();
      return inner.promise;
    }),
    pause: () => { paused = true; inner?.pause(); },
    resume: () => { paused = false; inner?.resume(); },
    cancel: () => { canceled = true; inner?.cancel(); },
  };
}
