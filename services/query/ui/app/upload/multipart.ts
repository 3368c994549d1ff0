// Uploads a file in one request, as multipart/form-data.
import { identityHeaders } from "../api/identity.js";
import { ApiError, refusal, unreachable } from "../api/client.js";
import type { Progress } from "./parts.js";
import type { Transfer } from "./target.js";

export interface MultipartOptions {
  url: string;
  file: File;
  /** Fields before the file. */
  fields?: Record<string, string>;
  idempotencyKey: string;
  onProgress?: (progress: Progress) => void;
}

const busy = [0, 429, 502, 503, 504];
const pauses = [500, 1000, 2000, 4000, 8000]; // ms, between tries while there is no connection or the server is busy

/** The body of the response is the result. A resumed transfer starts from the first byte. */
export function uploadMultipart<T>(options: MultipartOptions): Transfer<T> {
  let request: XMLHttpRequest | undefined, cancelled = false, wake: (() => void) | undefined;
  let paused: Promise<void> | undefined;
  const aborted = (): DOMException => new DOMException("The upload was cancelled.", "AbortError");
  const run = async (): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      while (paused && !cancelled) await paused;
      if (cancelled) throw aborted();
      request = new XMLHttpRequest();
      const { status, body } = await send(request, options);
      if (cancelled) throw aborted();
      if (status >= 200 && status < 300) return body as T;
      if (paused) { attempt = -1; continue; }
      const pause = pauses[attempt];
      if (!busy.includes(status) || pause === undefined) throw status === 0 ? new ApiError(unreachable, 0) : refusal(status, body);
      await new Promise<void>((done) => { wake = done; setTimeout(done, pause); });
    }
  };
  let open = (): void => {};
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
      cancelled = true;
      open();
      wake?.();
      request?.abort();
    },
  };
}

function send(xhr: XMLHttpRequest, { url, file, fields = {}, idempotencyKey, onProgress }: MultipartOptions): Promise<{ status: number; body: unknown }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return new Promise((done) => {
    const began = performance.now();
    xhr.open("POST", url);
    for (const [name, value] of Object.entries({ Accept: "application/json", "Idempotency-Key": idempotencyKey, ...identityHeaders() })) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => {
      const seconds = (performance.now() - began) / 1000, sent = Math.min(file.size, loaded);
      const bytesPerSecond = seconds > 0 ? loaded / seconds : 0;
      onProgress?.({ sent, total: file.size, bytesPerSecond, secondsLeft: bytesPerSecond > 0 ? (total - loaded) / bytesPerSecond : undefined });
    };
    xhr.onloadend = () => {
      let body: unknown;
      try {
        body = JSON.parse(xhr.responseText);
      } catch {
        body = undefined; // a response of a proxy
      }
      done({ status: xhr.status, body });
    };
    xhr.send(form);
  });
}
