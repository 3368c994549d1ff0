// The most recent files of the library, for the start page.
import { api, data } from "../api/client.js";
import type { Recent } from "../area.js";
import { hrefOf, iconOf, nameOf, reasonOf, sizeOf, states } from "./view.js";
import { recordsOf } from "./parts.js";

export async function recent(limit: number): Promise<Recent[]> {
  const { nodes } = await api.GET("/v1/library/nodes", { params: { query: { type: "File", limit } } }).then(data);
  return nodes.map((n) => ({
    id: n.id, href: hrefOf(n), name: nameOf(n), icon: iconOf(n), at: n.createdAt ?? "", status: states[n.status],
    text: n.status === "Failed" ? reasonOf(n) : [recordsOf(n), sizeOf(n)].filter(Boolean).join(" · "),
  }));
}
