// Uploads files through the web app's module for uploads in parts. The argument is the address of the server. If a
// result is unexpected, the program throws an error and exits with status 1. Parts are sent with fetch, because Node.js
// has no XMLHttpRequest.
import { randomUUID } from "node:crypto";
import { uploadInParts, UploadError, type Options, type Progress, type Send, type Uploaded } from "../dist/parts.js";

const server = process.argv[2];
if (server === undefined) throw new Error("usage: upload.js URL");
const partSize = 16 * 1024 * 1024;
const word = "fish ";
const words = Math.ceil((2 * partSize + 1000) / word.length);
const file = new File([word.repeat(words)], "fish.txt", { type: "text/plain", lastModified: 1 });

function expect(want: string, holds: boolean, got: unknown): void {
  if (!holds) throw new Error(`want ${want}, got ${JSON.stringify(got)}`);
}

/** Returns a function that sends a part and records its number in sent. */
const sender = (sent: number[]): Send => async (request, body, signal, progress) => {
  sent.push(partOf(request.url));
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "Content-Length"));
  const response = await fetch(request.url, { method: request.method, headers, body, signal });
  progress(body.size);
  return response.status;
};

const partOf = (url: string): number => Number(new URL(url).searchParams.get("partNumber"));

const callerOf = (owner: string): Pick<Options, "headers" | "server"> => ({ headers: () => ({ "X-Owner-Id": owner }), server: server as string });

async function result(path: string, owner: string): Promise<{ status?: string; result?: { totalWords: number } }> {
  const response = await fetch(`${server}/v1/${path}?wait=60s`, { headers: { "X-Owner-Id": owner } });
  return await response.json() as { status?: string; result?: { totalWords: number } };
}

/** One request and one response are lost; the part that was stored is not sent again. */
async function lostParts(): Promise<void> {
  const owner = randomUUID();
  const sent: number[] = [];
  const send = sender(sent);
  const lost = new Set<number>();
  let last: Progress | undefined;
  const done = await uploadInParts(file, {
    area: "files", ...callerOf(owner), onProgress: (progress) => { last = progress; },
    send: async (request, body, signal, progress) => {
      const number = partOf(request.url);
      if (number < 3 && !lost.has(number)) {
        lost.add(number);
        if (number === 2) await send(request, body, signal, progress);
        return 0;
      }
      return await send(request, body, signal, progress);
    },
  }).promise;
  expect("each part sent once", sent.sort().join() === "1,2,3", sent);
  expect("progress up to the size of the file", last?.sent === file.size && last.total === file.size, last);
  const end = await result(`files/${done.id}`, owner);
  expect(`a COMPLETED file with ${words} words`, end.status === "COMPLETED" && end.result?.totalWords === words, end);
}

/** A page is closed and opened again; the upload resumes. */
async function reopenedPage(): Promise<void> {
  const owner = randomUUID();
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => { kept.set(name, value); },
    removeItem: (name: string) => { kept.delete(name); },
  };
  const first: number[] = [], second: number[] = [];
  const options = { area: "library", ...callerOf(owner), storage } as const;
  const send = sender(first);
  await new Promise<void>((stored) => {
    let parts = 0;
    const closed = uploadInParts(file, {
      ...options,
      send: async (request, body, signal, progress) => {
        if (partOf(request.url) === 3) return await new Promise<number>((done) => { signal.addEventListener("abort", () => { done(0); }); });
        const status = await send(request, body, signal, progress);
        if (++parts === 2) { closed.pause(); stored(); }
        return status;
      },
    });
  });
  const done = await uploadInParts(file, { ...options, send: sender(second) }).promise;
  expect("parts 1 and 2 sent by the first page", first.sort().join() === "1,2", first);
  expect("only part 3 sent by the second page", second.join() === "3", second);
  expect("no recorded uploads", kept.size === 0, [...kept.keys()]);
  const end = await result(`library/nodes/${done.id}`, owner);
  expect("a Processed node", end.status === "Processed", end);
}

/** An upload is paused and then canceled, which deletes the file. */
async function canceled(): Promise<void> {
  const owner = randomUUID();
  let sends = 0;
  const upload = uploadInParts(file, {
    area: "files", ...callerOf(owner),
    send: (_request, _body, signal) => new Promise<number>((done) => {
      signal.addEventListener("abort", () => { done(0); });
      // One part is sent at first, because the speed is not known. The first resume does nothing.
      if (++sends === 1) { upload.resume(); upload.pause(); upload.resume(); }
      if (sends === 2) upload.cancel();
    }),
  });
  const ended: Uploaded | DOMException = await upload.promise.catch((error: DOMException) => error);
  expect("an AbortError", ended instanceof DOMException && ended.name === "AbortError", ended);
  const list = await fetch(`${server}/v1/owners/${owner}/files`, { headers: { "X-Owner-Id": owner } });
  const { files } = await list.json() as { files: unknown[] };
  expect("no files", files.length === 0, files);
}

/** The server rejects the upload with a problem. */
async function refused(): Promise<void> {
  const error: unknown = await uploadInParts(new File([], "empty.txt"), { area: "files", ...callerOf(randomUUID()) }).promise.catch((reason: unknown) => reason);
  expect("an UploadError with status 422", error instanceof UploadError && error.problem?.status === 422, error);
}

await Promise.all([lostParts(), reopenedPage(), canceled(), refused()]);
