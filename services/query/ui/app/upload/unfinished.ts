// Uploads that have not ended, which IndexedDB remembers, so that a page that was closed or crashed can offer to continue them.
import { owner, randomId } from "../api/identity.js";

/** What is needed to continue an upload, except for its file. */
export interface Unfinished {
  /** The idempotency key of the upload. */
  key: string;
  /** The page that sends it. */
  page: string;
  owner: string;
  area: string;
  name: string;
  size: number;
  lastModified: number;
  folders: string[];
  /** The options of its batch. */
  options: unknown;
  /** When it was added, in epoch ms. */
  addedAt: number;
  /** The item that the server reserved, if it did. */
  id?: string;
  /** The file, in browsers that can read it again with the user's permission. */
  handle?: FileSystemFileHandle;
}

const maxAge = 24 * 3600 * 1000; // ms, after which the server deletes reservations
const name = "uploads", lockPrefix = "assay-uploads-";

/** Identifies this page. Its lock is held until it is closed. */
export const page = randomId();
let locked = false;

function lock(): void {
  if (locked) return;
  locked = true;
  // Without TLS, a browser has no locks. Uploads of another open page are then offered, too.
  void (navigator as Partial<Navigator>).locks?.request(lockPrefix + page, () => new Promise(() => { /* never released */ }));
}

/** Runs a transaction. Resolves to undefined if the browser does not allow storage, or cannot store the value. */
async function store<T>(mode: IDBTransactionMode, act: (uploads: IDBObjectStore) => IDBRequest<T> | undefined): Promise<T | undefined> {
  try {
    const db = await new Promise<IDBDatabase>((done, failed) => {
      const request = indexedDB.open("assay", 1);
      request.onupgradeneeded = () => { request.result.createObjectStore(name, { keyPath: "key" }); };
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(new Error(request.error?.message));
    });
    try {
      return await new Promise<T | undefined>((done, failed) => {
        const change = db.transaction(name, mode), request = act(change.objectStore(name));
        change.oncomplete = () => done(request?.result);
        change.onabort = () => failed(new Error(change.error?.message));
      });
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

export function remember(all: Unfinished[]): void {
  lock();
  void store("readwrite", (uploads) => {
    for (const one of all) uploads.put(one);
    return undefined;
  });
}

export function forget(key: string): void {
  void store("readwrite", (uploads) => uploads.delete(key));
}

/** Returns the uploads of this owner that no open page sends, oldest first. Forgets those that are too old. */
export async function unfinished(): Promise<Unfinished[]> {
  const all = await store<Unfinished[]>("readonly", (uploads) => uploads.getAll() as IDBRequest<Unfinished[]>) ?? [];
  if (all.length === 0) return [];
  const held = (await (navigator as Partial<Navigator>).locks?.query())?.held ?? [], pages = new Set(held.map((l) => l.name));
  for (const one of all) if (Date.now() - one.addedAt > maxAge) forget(one.key);
  return all.filter((one) => one.owner === owner.peek() && Date.now() - one.addedAt <= maxAge && !pages.has(lockPrefix + one.page))
    .sort((a, b) => a.addedAt - b.addedAt);
}
