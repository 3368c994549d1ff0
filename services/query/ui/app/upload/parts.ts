// Resumable uploads of files in parts. They continue after a pause, a lost connection, and a restart of the server or
// the page. This module has no dependencies and requires a browser.
//
//   const upload = uploadInParts(file, {
//     area: "files",                                  // or "library", with parentId
//     headers: () => ({ "X-Owner-Id": owner }),       // or Authorization
//     storage: localStorage,                          // resumes after the page was closed
//     onProgress: ({ sent, total, bytesPerSecond, secondsLeft }) => …,
//   });
//   upload.pause(); upload.resume();
//   upload.cancel();                                  // deletes the file; the promise rejects with an AbortError
//   const file = await upload.promise;                // the file (PENDING) or the node (Loading)
//
// The promise rejects with an UploadError, which contains the problem that the server returned (RFC 9457), if any.
// Without a connection, an upload retries until it is canceled.
//
// Use it for files larger than partsAbove; a smaller file needs fewer requests with POST /v1/files without parts.
// The server does not accept empty files in parts.

/** The size in bytes above which an upload in parts is worthwhile. */
export const partsAbove = 64 * 1024 * 1024;

export interface Progress {
  /** Bytes sent in all parts. */
  sent: number;
  total: number;
  /** The average of the last seconds; 0 while nothing is sent. */
  bytesPerSecond: number;
  /** Undefined while the speed is unknown. */
  secondsLeft: number | undefined;
}

export interface Options {
  area: "files" | "library";
  /** The name of a File by default. */
  name?: string;
  /** The type of the Blob by default. */
  contentType?: string;
  /** A folder of the library; the root by default. */
  parentId?: string;
  /** The owner of the upload; uploads of other owners are not resumed. Default: X-Owner-Id of headers. */
  owner?: string;
  /** The identity headers: X-Owner-Id or Authorization. Called for every request, so that a token can change. */
  headers: () => Record<string, string>;
  /** The address of the server. Default: the address of the page. */
  server?: string;
  /** Remembers the upload of a File until it ends, by its name, size, time and first part. Nothing is remembered by default. */
  storage?: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** How many parts are sent concurrently at most; 4 by default. A slow line sends fewer, because a pause loses them. */
  parallel?: number;
  onProgress?: (progress: Progress) => void;
  /** Called with the id of the file or node when the server has reserved it. */
  onReserved?: (id: string) => void;
  /** Sends a part and resolves to the status. It replaces XMLHttpRequest, for example outside a browser. */
  send?: Send;
}

export type Send = (request: PartRequest, body: Blob, signal: AbortSignal, sent: (bytes: number) => void) => Promise<number>;

export interface PartRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
}

export interface Uploaded {
  /** The id of the text file, or of the node. */
  id: string;
  status: string;
  /** The response of the server. */
  body: Record<string, unknown>;
}

export interface Upload {
  promise: Promise<Uploaded>;
  pause(): void;
  resume(): void;
  cancel(): void;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  errors?: { field: string; message: string }[];
}

export class UploadError extends Error {
  constructor(message: string, readonly problem?: Problem) {
    super(message);
    this.name = "UploadError";
  }
}

interface Reservation {
  fileId?: string;
  id?: string;
  status: string;
  upload: { uploadId?: string; partSize?: number; partCount?: number };
}

interface Stored {
  number: number;
  size: number;
  crc32: string;
}

const firstPause = 500, longestPause = 15_000; // ms
const window = 5_000; // ms, over which the speed is measured
const inFlight = 4; // seconds
const refusals = 2; // maximum number of retries of a part that the bucket rejects
const busy = [429, 502, 503, 504];

/** Starts the upload of a file, or resumes an earlier one. */
export function uploadInParts(file: Blob, options: Options): Upload {
  return new PartsUpload(file, options);
}

class PartsUpload implements Upload {
  readonly promise: Promise<Uploaded>;
  private readonly canceled = new AbortController();
  private sending = new AbortController(); // aborted by a pause
  private gate: Promise<void> | undefined; // resolved by resume
  private open: (() => void) | undefined;
  private readonly sent = new Map<number, number>(); // bytes of each part
  private samples: { at: number; sent: number }[] = [];
  private speed = 0; // bytes per second
  private id = "";

  constructor(private readonly file: Blob, private readonly options: Options) {
    this.promise = this.run();
  }

  pause(): void {
    if (this.gate) return;
    this.gate = new Promise((open) => { this.open = open; });
    this.sending.abort();
    this.samples = [];
    this.report();
  }

  resume(): void {
    if (!this.gate) return;
    this.sending = new AbortController();
    this.gate = undefined;
    this.open?.();
  }

  cancel(): void {
    this.canceled.abort();
    this.sending.abort();
    this.open?.();
  }

  private async run(): Promise<Uploaded> {
    const remembered = await this.remembered();
    try {
      for (let attempt = 0; ; attempt++) {
        const reserved = await this.reserve(remembered.key);
        this.id = reserved.fileId ?? reserved.id ?? "";
        this.options.onReserved?.(this.id);
        const waiting = reserved.status === "PENDING" || reserved.status === "Loading";
        try {
          if (waiting && reserved.upload.uploadId) {
            await this.sendAll(reserved.upload.uploadId, reserved.upload.partSize ?? 0, reserved.upload.partCount ?? 0);
          }
          const body = waiting
            ? await this.call("POST", `/${this.id}/uploaded`, { uploadId: reserved.upload.uploadId })
            : reserved as unknown as Record<string, unknown>;
          remembered.forget();
          return { id: this.id, status: String(body["status"]), body };
        } catch (error) {
          if (!isLost(error)) throw error;
          await this.wait(attempt);
        }
      }
    } catch (error) {
      if (!this.canceled.signal.aborted) throw error;
      remembered.forget();
      await this.remove();
      throw new DOMException("The upload was canceled.", "AbortError");
    }
  }

  /** The idempotency key, with which the server finds an earlier upload. */
  private async remembered(): Promise<{ key: string; forget: () => void }> {
    const { storage, area, parentId } = this.options;
    const fresh = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
    if (!storage || !(this.file instanceof File)) return { key: fresh, forget: () => {} };
    const start = await crc32(this.file.slice(0, 1024 * 1024));
    const at = [
      "assay-upload", area, parentId ?? "", this.name(), this.file.size, this.file.lastModified, start,
      JSON.stringify(this.options.owner ?? this.options.headers()["X-Owner-Id"] ?? ""),
    ].join(":");
    const key = storage.getItem(at) ?? fresh;
    storage.setItem(at, key);
    return { key, forget: () => storage.removeItem(at) };
  }

  private name(): string {
    return this.options.name ?? (this.file instanceof File ? this.file.name : "file");
  }

  private async reserve(key: string): Promise<Reservation> {
    const { area, parentId } = this.options;
    const contentType = this.options.contentType ?? this.file.type;
    const body = {
      ...(area === "library" ? { name: this.name(), parentId } : { fileName: this.name() }),
      size: this.file.size, contentType: contentType || undefined, parts: true,
    };
    return await this.call("POST", "", body, { "Idempotency-Key": key }) as unknown as Reservation;
  }

  /** Sends the parts that are not stored yet. */
  private async sendAll(uploadId: string, partSize: number, count: number): Promise<void> {
    const stored = new Map<number, Stored>();
    const list = async (): Promise<void> => {
      const { parts } = await this.call(
        "GET", `/${this.id}/parts?uploadId=${encodeURIComponent(uploadId)}`,
      ) as unknown as { parts: Stored[] };
      stored.clear();
      for (const part of parts) stored.set(part.number, part);
    };
    await list();
    const running = new Set<Promise<void>>();
    try {
      for (let next = 1; next <= count || running.size > 0;) {
        if (next > count || running.size >= this.width(partSize)) {
          await Promise.race(running);
          continue;
        }
        const from = (next - 1) * partSize, body = this.file.slice(from, Math.min(from + partSize, this.file.size));
        const sending = this.sendPart(uploadId, next++, body, stored, list).finally(() => running.delete(sending));
        running.add(sending);
      }
    } finally {
      await Promise.allSettled(running);
    }
  }

  /** How many parts of a size may be in flight: about as many as are sent in a few seconds. */
  private width(partSize: number): number {
    return Math.max(1, Math.min(this.options.parallel ?? 4, Math.round(this.speed * inFlight / partSize)));
  }

  /** Sends a part until it is stored. */
  private async sendPart(
    uploadId: string, number: number, body: Blob, stored: Map<number, Stored>, list: () => Promise<void>,
  ): Promise<void> {
    const sum = await crc32(body);
    for (let attempt = 0; ; attempt++) {
      await this.unpaused();
      if (attempt > 0) await list(); // the part may be stored although no response arrived
      const has = stored.get(number);
      if (has?.crc32 === sum && has.size === body.size) {
        this.samples = []; // bytes that were stored earlier must not count toward the speed
        this.count(number, body.size);
        return;
      }
      const { parts } = await this.call("POST", `/${this.id}/parts`, {
        uploadId, numbers: [number], crc32: [sum],
      }) as unknown as { parts: PartRequest[] };
      const request = parts[0];
      if (!request) throw new UploadError(`The server did not sign part ${number}.`);
      const { signal } = this.sending;
      const send = this.options.send ?? sendByXHR;
      const status = await send(request, body, signal, (bytes) => this.count(number, bytes)).catch(() => 0);
      if (status >= 200 && status < 300) {
        this.count(number, body.size);
        return;
      }
      this.count(number, 0);
      // The bucket also rejects a part with 400 if its bytes arrive too slowly.
      if (status === 400 && attempt >= refusals) {
        throw new UploadError(`The object store rejected part ${number}: the file changed during the upload.`);
      }
      if (!signal.aborted) await this.wait(attempt);
    }
  }

  /** Waits while the upload is paused. Throws if it is canceled. */
  private async unpaused(): Promise<void> {
    while (this.gate && !this.canceled.signal.aborted) await this.gate;
    this.canceled.signal.throwIfAborted();
  }

  private async wait(attempt: number): Promise<void> {
    const pause = Math.min(firstPause * 2 ** attempt, longestPause) * (0.5 + Math.random() / 2);
    await new Promise<void>((done) => {
      const timer = setTimeout(done, pause);
      this.canceled.signal.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
    });
  }

  /** Calls the API of the area. Retries while there is no connection or the server is busy. */
  private async call(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const url = `${this.options.server ?? ""}/v1/${this.options.area === "library" ? "library/files" : "files"}${path}`;
    for (let attempt = 0; ; attempt++) {
      await this.unpaused();
      const headers = {
        Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...this.options.headers(), ...more,
      };
      const init: RequestInit = { method, headers, signal: this.canceled.signal };
      if (body !== undefined) init.body = JSON.stringify(body);
      const response = await fetch(url, init).catch(() => undefined);
      this.canceled.signal.throwIfAborted();
      if (response?.ok) return await response.json() as Record<string, unknown>;
      if (response && !busy.includes(response.status)) {
        const problem = await response.json().catch(() => undefined) as Problem | undefined;
        const fields = (problem?.errors ?? []).map((e) => `${e.field.replace(/^body\./, "")} ${e.message}`);
        const text = [problem?.detail ?? problem?.title, ...fields].filter(Boolean).join(" ");
        throw new UploadError(text || `Assay returned an error (${response.status}).`, problem);
      }
      await this.wait(attempt);
    }
  }

  /** Deletes the file of a canceled upload. */
  private async remove(): Promise<void> {
    if (this.id === "") return;
    const path = this.options.area === "library" ? `library/nodes/${this.id}?permanent=true` : `files/${this.id}`;
    // If this fails, a sweep removes the file later.
    await fetch(`${this.options.server ?? ""}/v1/${path}`, { method: "DELETE", headers: this.options.headers() }).catch(() => undefined);
  }

  private count(number: number, bytes: number): void {
    this.sent.set(number, bytes);
    this.report();
  }

  private report(): void {
    let sent = 0;
    for (const bytes of this.sent.values()) sent += bytes;
    const now = Date.now();
    this.samples = [...this.samples.filter((s) => now - s.at < window), { at: now, sent }];
    const first = this.samples[0];
    const bytesPerSecond = first && now > first.at ? Math.max(0, (sent - first.sent) * 1000 / (now - first.at)) : 0;
    this.speed = bytesPerSecond || this.speed;
    const total = this.file.size;
    this.options.onProgress?.({
      sent, total, bytesPerSecond, secondsLeft: bytesPerSecond > 0 ? (total - sent) / bytesPerSecond : undefined,
    });
  }
}

/** Whether some parts must be sent again: they are not stored, or the upload ended. */
function isLost(error: unknown): boolean {
  const type = error instanceof UploadError ? error.problem?.type : undefined;
  return type === "urn:assay:problem:parts-missing" || type === "urn:assay:problem:upload-not-open";
}

/** Sends a part and reports its progress, which fetch cannot do. */
const sendByXHR: Send = (request, body, signal, sent) => new Promise((done) => {
  const xhr = new XMLHttpRequest();
  xhr.open(request.method, request.url);
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.toLowerCase() !== "content-length") xhr.setRequestHeader(name, value); // the browser sets it
  }
  xhr.upload.onprogress = (event) => { sent(event.loaded); };
  xhr.onloadend = () => { done(xhr.status); }; // 0 for a lost connection
  signal.addEventListener("abort", () => { xhr.abort(); }, { once: true });
  if (signal.aborted) done(0);
  else xhr.send(body);
});

const table = (() => {
  const all = new Int32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    all[n] = c;
  }
  return all;
})();

const chunk = 1024 * 1024;

/** The CRC-32 of bytes (IEEE 802.3): 4 bytes, big endian, in base64. */
export async function crc32(bytes: Blob): Promise<string> {
  let c = -1;
  for (let at = 0; at < bytes.size; at += chunk) {
    const read = new Uint8Array(await bytes.slice(at, at + chunk).arrayBuffer());
    for (let i = 0; i < read.length; i++) c = (table[(c ^ (read[i] as number)) & 0xff] as number) ^ (c >>> 8);
  }
  c = ~c;
  return btoa(String.fromCharCode(c >>> 24 & 0xff, c >>> 16 & 0xff, c >>> 8 & 0xff, c & 0xff));
}
