// Uploads a file by a presigned request that the API returned.
import { ApiError } from "../api/client.js";
import type { Schemas } from "../api/client.js";
import type { Progress } from "./parts.js";
import type { Transfer } from "./target.js";

const stored = 412; // If-None-Match: an earlier try stored the object
const busy = [0, 429, 500, 502, 503, 504];
const pauses = [500, 1000, 2000, 4000, 8000]; // ms

/** A resumed transfer starts from the first byte. The result is undefined. */
export function uploadPresigned(file: File, to: Schemas["Presigned"], onProgress?: (progress: Progress) => void): Transfer<void> {
  let request: XMLHttpRequest | undefined, cancelled = false, open = (): void => {}, paused: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      while (paused && !cancelled) await paused;
      if (cancelled) throw new DOMException("The upload was cancelled.", "AbortError");
      request = new XMLHttpRequest();
      const status = await put(request, file, to, onProgress);
      if (status >= 200 && status < 300 || status === stored) return;
      if (cancelled || paused) { attempt = -1; continue; }
      const pause = pauses[attempt];
      if (!busy.includes(status) || pause === undefined) throw new ApiError(status === 403 ? "The upload has expired. Upload the file again." : "The file could not be stored. Check the connection and try again.", status);
      await new Promise((done) => { setTimeout(done, pause); });
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
      cancelled = true;
      open();
      request?.abort();
    },
  };
}

function put(xhr: XMLHttpRequest, file: File, to: Schemas["Presigned"], onProgress?: (progress: Progress) => void): Promise<number> {
  return new Promise((done) => {
    const began = performance.now();
    xhr.open(to.method, to.url);
    for (const [name, value] of Object.entries(to.headers)) if (!/^(content-length|host)$/i.test(name)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => {
      const bytesPerSecond = loaded / Math.max(0.001, (performance.now() - began) / 1000);
      onProgress?.({ sent: loaded, total: file.size, bytesPerSecond, secondsLeft: bytesPerSecond > 0 ? (total - loaded) / bytesPerSecond : undefined });
    };
    xhr.onloadend = () => done(xhr.status);
    xhr.send(file);
  });
}
