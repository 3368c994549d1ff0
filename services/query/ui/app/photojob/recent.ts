// The most recent photos, for the start page.
import { api, data } from "../api/client.js";
import { owner } from "../api/identity.js";
import type { Recent } from "../area.js";
import { Image } from "../ui/icon.js";
import { deleted } from "./photos.js";
import { addressOf, labelsOf, nameOf, states } from "./view.js";

export async function recent(limit: number): Promise<Recent[]> {
  const params = { path: { ownerId: owner.peek() }, query: { limit } };
  const { photos } = await api.GET("/v1/owners/{ownerId}/photos", { params }).then(data);
  return photos.filter((p) => !deleted.peek().has(p.jobId)).map((p) => ({
    id: p.jobId, href: addressOf(p.jobId), name: nameOf(p), icon: Image, at: p.createdAt, status: states[p.status],
    text: p.status === "FAILED" ? p.error?.message ?? "" : labelsOf(p),
  }));
}
