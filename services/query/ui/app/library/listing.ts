// The list of a folder: its folders first, then its models, then its files, all in the same order.
import { api, ApiError, data } from "../api/client.js";
import { Endless, type Page } from "../ui/endless.js";
import { type Change, remember } from "./nodes.js";
import { isFolder, linkToken, type Node, type Status } from "./view.js";

export const sorts = ["name", "-name", "size", "-size", "updatedAt", "-updatedAt"] as const;
export type Sort = typeof sorts[number];

const pageSize = 100;
const kinds = ["Folder", "Model", "File"] as const; // in the order of the list
type Kind = typeof kinds[number];

/** Returns the kind of nodes and their cursor in a cursor of the list. */
function cursorOf(cursor: string | undefined): { kind: Kind | undefined; at: string } | undefined {
  const colon = cursor?.indexOf(":") ?? -1;
  return cursor === undefined ? undefined : { kind: kinds.find((k) => k === cursor.slice(0, colon)), at: cursor.slice(colon + 1) };
}

const latest = (shown: Node, fresh: Node): Node => shown.version > fresh.version ? shown : fresh;

export class Listing {
  readonly nodes: Endless<Node>;
  private after: string | undefined; // the last change that the list must include
  private readonly left = new Map<string, number>(); // the versions with which nodes left the folder; older versions are ignored

  constructor(private readonly folder: string, private readonly sort: Sort, private readonly status: Status | undefined) {
    this.nodes = new Endless<Node>((cursor) => this.read(cursor), (node) => node.id, latest);
  }

  /** Applies a change to a node to the list. */
  apply(change: Change): void {
    const gone = change.change === "deleted" || change.trashed || change.parentId !== this.folder;
    if (change.version <= (this.left.get(change.nodeId) ?? -1)) return;
    if (gone) {
      this.left.set(change.nodeId, change.version);
      this.nodes.remove(change.nodeId);
      return;
    }
    let moved = false;
    const listed = this.nodes.change(change.nodeId, (node) => {
      if (node.version > change.version) return node;
      moved = node.name !== change.name;
      return {
        ...node, version: change.version, ...change.name ? { name: change.name } : {},
        ...change.status ? { status: change.status } : {},
      };
    });
    const ended = ["Processed", "ProcessedPartially", "Failed"].includes(change.status ?? "");
    if (!listed || moved || ended || this.status) { // the change does not contain everything that the list shows
      this.after = `${change.nodeId}:${change.version}`;
      this.nodes.refreshSoon();
    }
  }

  private async read(cursor: string | undefined): Promise<Page<Node>> {
    const { items, cursor: next } = await this.load(cursor);
    // Nodes can leave the folder during the requests.
    return { items: items.filter((n) => n.version > (this.left.get(n.id) ?? -1)), cursor: next };
  }

  private async load(cursor: string | undefined): Promise<Page<Node>> {
    const shown = this.status ? kinds.slice(1) : kinds; // folders have no status
    let { kind, at } = cursorOf(cursor) ?? { kind: shown[0], at: undefined };
    const items: Node[] = [];
    for (let first = cursor === undefined; kind; first = false) {
      const page = await this.page(kind, at, first);
      items.push(...page.items);
      if (page.cursor) return { items, cursor: `${kind}:${page.cursor}` };
      [kind, at] = [shown[shown.indexOf(kind) + 1], undefined];
    }
    return { items, cursor: undefined };
  }

  private async page(type: Kind, cursor: string | undefined, first: boolean): Promise<Page<Node>> {
    // A folder has no size.
    const sort = type === "Folder" && this.sort.endsWith("size") ? "name" : this.sort.endsWith("name") ? this.sort : `${this.sort},name`;
    const query = {
      type, sort, limit: pageSize, ...linkToken(), ...cursor ? { cursor } : {},
      ...this.status ? { status: this.status } : {},
    };
    const list = (after?: string): Promise<{ nodes: Node[]; nextCursor?: string }> =>
      api.GET("/v1/library/nodes/{id}/children", {
        params: { path: { id: this.folder }, query: { ...query, ...after ? { after } : {} } },
      }).then(data);
    const page = await (first ? list(this.after) : list()).catch((error: unknown) => {
      // Newer changes arrive as events.
      if (first && this.after && error instanceof ApiError && error.code === "index-not-ready") return list();
      throw error;
    });
    this.after = first ? undefined : this.after;
    remember(page.nodes.filter(isFolder));
    return { items: page.nodes, cursor: page.nextCursor };
  }
}
