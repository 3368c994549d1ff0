// The most recent text files, for the start page.
import { api, data } from "../api/client.js";
import { owner } from "../api/identity.js";
import type { Recent } from "../area.js";
import { FileText } from "../ui/icon.js";
import { counted } from "../ui/text.js";
import { deleted } from "./files.js";
import { states } from "./view.js";

export async function recent(limit: number): Promise<Recent[]> {
  const params = { path: { ownerId: owner.peek() }, query: { limit, counts: true } };
  const { files } = await api.GET("/v1/owners/{ownerId}/files", { params }).then(data);
  return files.filter((f) => !deleted.peek().has(f.fileId)).map((f) => ({
    id: f.fileId, href: `/files/${encodeURIComponent(f.fileId)}`, name: f.fileName, icon: FileText, at: f.createdAt,
    status: states[f.status],
    text: f.errorMessage ?? (f.counts ? counted(f.counts.totalWords, "word") : ""),
  }));
}
