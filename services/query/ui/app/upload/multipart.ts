// Uploads a file in one request, as multipart/form-data.
import { identityHeaders } from "../api/identity.js";
import { ApiError, refusal, unreachable } from "../api/client.js";
import type { Progress } from "./parts.js";
import type { Transfer } from "./target.js";
import { sendBody, transfer } from "./transfer.js";

interface MultipartOptions {
  url: string;
  file: File;
  /** Fields that are sent before the file. */
  fields?: Record<string, string>;
  idempotencyKey: string;
  onProgress?: (progress: Progress) => void;
}

/** Uploads a file. The result is the body of the response. */
export function uploadMultipart<T>({ url, file, fields = {}, idempotencyKey, onProgress }: MultipartOptions): Transfer<T> {
  return transfer<T>({
    send: (xhr) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("file", file);
      xhr.open("POST", url);
      for (const [name, value] of Object.entries({ Accept: "application/json", "Idempotency-Key": idempotencyKey, ...identityHeaders() })) {
        xhr.setRequestHeader(name, value);
      }
      return sendBody(xhr, form, file.size, onProgress);
    },
    result: ({ status, body }) => status >= 200 && status < 300 ? { value: body as T } : undefined,
    busy: [0, 429, 502, 503, 504],
    refused: ({ status, body }) => status === 0 ? new ApiError(unreachable, 0) : refusal(status, body),
  });
}
