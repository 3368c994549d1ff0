// How text files are uploaded.
import { api, data } from "../api/client.js";
import { identityHeaders, owner } from "../api/identity.js";
import { counted } from "../ui/text.js";
import { uploadMultipart } from "../upload/multipart.js";
import { uploadInParts } from "../upload/parts.js";
import type { Ended, Sending, Sent, Target, Transfer } from "../upload/target.js";
import { type File as FileView, type Result, statisticsOf } from "./view.js";

/** The file size in bytes from which uploads are multipart and resumable. */
export const inPartsFrom = 8 * 1024 * 1024;

const names = /\.(txt|text|md|markdown|rst|log|srt|vtt|tex|org|adoc)$/i;
const types = ["text/plain", "text/markdown"];

export const upload: Target = {
  label: "Text files",
  suits: (file) => types.includes(file.type) || names.test(file.name),
  accepts: (file) => !/^(image|video|audio|font)\//.test(file.type),
  refusal: "This is not a text file.",
  start: (sending) => sending.file.size >= inPartsFrom ? parts(sending) : inOneRequest(sending),
  discard: (id) => api.DELETE("/v1/files/{id}", { params: { path: { id } } }).then(data),
  summary: (outcome) => counted(statisticsOf(outcome)?.totalWords ?? 0, "word"),
  check: async (id) => ended(await api.GET("/v1/files/{id}", { params: { path: { id } } }).then(data)),
};

function ended(file: FileView): Ended | undefined {
  if (file.status === "COMPLETED") return { ok: true, text: summary(file.result) };
  if (file.status === "FAILED") return { ok: false, text: file.errorMessage ?? "The analysis failed." };
  return undefined;
}

function summary(result: Result | undefined): string {
  return result ? counted(result.totalWords, "word") : "";
}

const sent = (id: string): Sent => ({ id, href: `/files/${encodeURIComponent(id)}` });

function inOneRequest({ file, idempotencyKey, onProgress }: Sending): Transfer<Sent> {
  const transfer = uploadMultipart<FileView>({ url: "/v1/files", file, idempotencyKey, onProgress });
  return { ...transfer, promise: transfer.promise.then((view) => sent(view.fileId)) };
}

function parts({ file, onProgress, onReserved }: Sending): Transfer<Sent> {
  const transfer = uploadInParts(file, {
    area: "files", headers: identityHeaders, owner: owner.value, storage: localStorage, onProgress, onReserved,
  });
  return {
    promise: transfer.promise.then(({ id }) => sent(id)),
    pause: () => transfer.pause(), resume: () => transfer.resume(), cancel: () => transfer.cancel(),
  };
}
