// How texts are uploaded whose lines are counted.
import { api, data } from "../api/client.js";
import { counted } from "../ui/text.js";
import { uploadPresigned } from "../upload/presigned.js";
import type { Sending, Sent, Target, Transfer } from "../upload/target.js";

export const upload: Target = {
  label: "Line counts",
  suits: () => false,
  accepts: (file) => file.type.startsWith("text/"),
  refusal: "This is not a text.",
  start,
  check: async (id) => {
    const item = await api.GET("/v1/linecounts/{id}", { params: { path: { id } } }).then(data);
    if (item.status === "COMPLETED") return { ok: true, text: counted(item.lines, "line") };
    return item.status === "FAILED" ? { ok: false, text: item.errorMessage ?? "The lines could not be counted." } : undefined;
  },
};

function start({ file, onProgress }: Sending): Transfer<Sent> {
  let transfer: Transfer<void> | undefined;
  const send = async (): Promise<Sent> => {
    const { id, upload: to } = await api.POST("/v1/linecounts", { body: { fileName: file.name, size: file.size } }).then(data);
    const { method = "PUT", url = "", headers = {}, expiresAt } = to;
    transfer = uploadPresigned(file, { method, url, headers, expiresAt }, onProgress);
    await transfer.promise;
    await api.POST("/v1/linecounts/{id}/uploaded", { params: { path: { id } } }).then(data);
    return { id, href: "/linecounts" };
  };
  return { promise: send(), pause: () => transfer?.pause(), resume: () => transfer?.resume(), cancel: () => transfer?.cancel() };
}
