// Sends a file in one request. Retries while there is no connection or the server is busy.
import type { Progress } from "./parts.js";
import type { Transfer } from "./target.js";

/** The result of a request. status is 0 if there was no response. */
interface Reply {
  status: number;
  body: unknown;
}

export interface Attempts<T> {
  /** Sends the request once. */
  send: (request: XMLHttpRequest) => Promise<Reply>;
  /** Returns the result of a reply, or undefined if it is an error. */
  result: (reply: Reply) => { value: T } | undefined;
  /** The statuses after which the request is sent again. */
  busy: number[];
  /** The error of a reply that must not be retried. */
  refused: (reply: Reply) => Error;
}

const pauses = [500, 1000, 2000, 4000, 8000]; // ms, between attempts

/** Starts a transfer. After a pause it starts from the first byte. */
export function transfer<T>({ send, result, busy, refused }: Attempts<T>): Transfer<T> {
  let request: XMLHttpRequest | undefined, canceled = false, wake: (() => void) | undefined;
  let paused: Promise<void> | undefined, open = (): void => {};
  const run = async (): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      while (paused && !canceled) await paused;
      if (canceled) throw new DOMException("The upload was canceled.", "AbortError");
      request = new XMLHttpRequest();
      const reply = await send(request), done = result(reply);
      if (done && !canceled) return done.value;
      if (canceled || paused) { attempt = -1; continue; }
      const pause = pauses[attempt];
      if (!busy.includes(reply.status) || pause === undefined) throw refused(reply);
      await new Promise<void>((done) => { wake = done; setTimeout(done, pause); });
    }
  };
  return {
    promise: run(),
    pause() {
      paused ??= new Promise((done) => { open = done; });
      request?.abort();
    },
    resume() {
      paused = undefined;
      open();
    },
    cancel() {
      canceled = true;
      open();
      wake?.();
      request?.abort();
    },
  };
}

/** Sends the body of an opened request and reports the progress of its file. The body of the reply is JSON, or undefined. */
export function sendBody(
  xhr: XMLHttpRequest, body: XMLHttpRequestBodyInit, size: number, onProgress?: (progress: Progress) => void,
): Promise<Reply> {
  return new Promise((done) => {
    const began = performance.now();
    xhr.upload.onprogress = ({ loaded, total }) => {
      const bytesPerSecond = loaded / Math.max(0.001, (performance.now() - began) / 1000);
      onProgress?.({
        sent: Math.min(size, loaded), total: size, bytesPerSecond,
        secondsLeft: bytesPerSecond > 0 ? (total - loaded) / bytesPerSecond : undefined,
      });
    };
    xhr.onloadend = () => done({ status: xhr.status, body: parsed(xhr.responseText) });
    xhr.send(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // for example, a response from a proxy
  }
}
