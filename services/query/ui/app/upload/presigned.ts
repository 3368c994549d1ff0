// Uploads a file with a presigned request that the API returned.
import { ApiError } from "../api/client.js";
import type { Schemas } from "../api/client.js";
import type { Progress } from "./parts.js";
import type { Transfer } from "./target.js";
import { sendBody, transfer } from "./transfer.js";

const stored = 412; // If-None-Match: an earlier attempt stored the object

/** Uploads a file. The result is undefined. */
export function uploadPresigned(file: File, to: Schemas["Presigned"], onProgress?: (progress: Progress) => void): Transfer<void> {
  return transfer<void>({
    send: (xhr) => {
      xhr.open(to.method, to.url);
      for (const [name, value] of Object.entries(to.headers)) if (!/^(content-length|host)$/i.test(name)) xhr.setRequestHeader(name, value);
      return sendBody(xhr, file, file.size, onProgress);
    },
    result: ({ status }) => status >= 200 && status < 300 || status === stored ? { value: undefined } : undefined,
    busy: [0, 429, 500, 502, 503, 504],
    refused: ({ status }) => new ApiError(
      status === 403
        ? "The upload has expired. Upload the file again."
        : "The file could not be stored. Check the connection and try again.",
      status,
    ),
  });
}
