// Nodes of the library: reading, changing and following them.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message } from "../api/client.js";
import { outcomes, Stream } from "../api/live.js";
import { query } from "../router.js";
import { counted } from "../ui/text.js";
import { toast, undoable } from "../ui/toast.js";
import { linkToken, type Node, nameOf } from "./view.js";

/** A change to a node, as reported by the node event. */
export interface Change {
  nodeId: string;
  change: string;
  type?: string;
  name?: string;
  parentId?: string;
  status?: Node["status"];
  trashed: boolean;
  version: number;
}

interface Progress {
  fileId: string;
  open: number;
  done: number;
  failed: number;
  skipped: number;
}

/** The progress of a file's steps, from 0 to 1, while it is processed. */
export const progress = signal<ReadonlyMap<string, number>>(new Map());

interface NodeFollower {
  change: (change: Change) => void;
  /** Called when changes may have been missed. */
  reset: () => void;
}

const followers = new Set<NodeFollower>();
const shared = new Map<string, Stream>(); // streams of nodes that are read with a share link

/** Follows changes to the owner's nodes or, with a share link, to a node and everything below it. */
export function followNodes(id: string | undefined, follower: NodeFollower): () => void {
  followers.add(follower);
  const link = query.peek().get("link");
  let stream = outcomes;
  if (link && id) {
    const at = `/v1/library/nodes/${encodeURIComponent(id)}/events?` + new URLSearchParams({ link }).toString();
    stream = shared.get(at) ?? new Stream(() => at, ["node", "progress"], true);
    shared.set(at, stream);
  }
  const leave = stream.follow({
    event: (kind, data) => {
      if (kind === "node") follower.change(data as Change);
      if (kind === "progress") record(data as Progress);
    },
    reset: follower.reset,
  });
  return () => {
    followers.delete(follower);
    leave();
  };
}

function record({ fileId, open, done, failed, skipped }: Progress): void {
  const next = new Map(progress.peek()), total = open + done + failed + skipped;
  if (open === 0 || total === 0) next.delete(fileId);
  else next.set(fileId, (total - open) / total);
  progress.value = next;
}

/** Reports a local change before its event arrives. */
export function announce(node: Node): void {
  const { id, type, name, status, trashed, version, parentId } = node;
  const change: Change = { nodeId: id, change: "updated", type, name, status, trashed, version, ...parentId ? { parentId } : {} };
  for (const follower of [...followers]) follower.change(change);
}

function announceErased(id: string): void {
  for (const follower of [...followers]) {
    follower.change({ nodeId: id, change: "deleted", trashed: false, version: Number.MAX_SAFE_INTEGER });
  }
}

export function readNode(id: string): Promise<Node> {
  if (id === "root") return api.GET("/v1/library/nodes/root").then(data);
  return api.GET("/v1/library/nodes/{id}", { params: { path: { id }, query: linkToken() } }).then(data);
}

/** Reads what was found in the content of a file. */
export function readMetadata(id: string): Promise<Record<string, unknown>> {
  return api.GET("/v1/library/files/{id}/metadata", { params: { path: { id }, query: linkToken() } }).then(data).then((m) => m.metadata);
}

const known = new Map<string, Node>(); // by id, so that a page that was shown before is rendered immediately
const paths = new Map<string, Node[]>();

export function remember(nodes: Node[]): void {
  for (const node of nodes) known.set(node.id, node);
}

export interface Read {
  node: Node | undefined;
  /** From the top to the node. */
  path: Node[];
  error: Error | undefined;
  reload: () => void;
}

/** Reads a node and its path, and follows its changes. The id "root" is the root folder of the caller. */
export function useNode(id: string): Read {
  const [node, setNode] = useState<Node | undefined>(() => known.get(id));
  const [path, setPath] = useState<Node[]>(() => paths.get(id) ?? []), [error, setError] = useState<Error>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let gone = false;
    readNode(id).then(async (found) => {
      if (gone) return;
      known.set(id, found);
      setNode(found);
      setError(undefined);
      const { nodes } = found.type === "User"
        ? { nodes: [found] }
        : await api.GET("/v1/library/nodes/{id}/path", { params: { path: { id: found.id }, query: linkToken() } }).then(data);
      paths.set(id, nodes);
      if (!gone) setPath(nodes);
    }).catch((failed: unknown) => {
      if (gone) return;
      if (failed instanceof ApiError && failed.status === 404) {
        known.delete(id);
        setNode(undefined);
      }
      setError(failed instanceof Error ? failed : new Error(message(failed)));
    });
    return () => { gone = true; };
  }, [id, turn]);
  const real = node?.id;
  useEffect(() => followNodes(real, {
    change: ({ nodeId, version }) => { if (nodeId === real && version > (known.get(id)?.version ?? 0)) setTurn((n) => n + 1); },
    reset: () => setTurn((n) => n + 1),
  }), [id, real]);
  return { node, path, error, reload: () => setTurn((n) => n + 1) };
}

/** Runs an action and shows its error. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    toast(message(error), { bad: true });
    return undefined;
  }
}

export async function createFolder(name: string, parentId: string | undefined): Promise<Node> {
  const node = await api.POST("/v1/library/folders", { body: { name, ...parentId ? { parentId } : {} } }).then(data);
  announce(node);
  return node;
}

export async function importPage(url: string, name: string, parentId: string | undefined): Promise<Node> {
  const node = await api.POST("/v1/library/pages", { body: { url, ...name ? { name } : {}, ...parentId ? { parentId } : {} } }).then(data);
  announce(node);
  return node;
}

export async function rename(node: Node, name: string): Promise<Node> {
  const changed = await api.PATCH("/v1/library/nodes/{id}", {
    params: { path: { id: node.id }, header: { "If-Match": `"v${node.version}"` } }, body: { name, uniqueName: true },
  }).then(data);
  announce(changed);
  return changed;
}

type Op = "move" | "trash" | "restore" | "erase";
const inOneCall = 100; // maximum number of operations per request

/** Applies an operation to many nodes. Returns the nodes that succeeded and shows why the others failed. */
async function bulk(op: Op, nodes: Node[], parentOf?: (node: Node) => string | undefined): Promise<Node[]> {
  const done: Node[] = [], reasons: string[] = [];
  for (let at = 0; at < nodes.length; at += inOneCall) {
    const some = nodes.slice(at, at + inOneCall);
    const operations = some.map((node) => {
      const parentId = parentOf?.(node);
      return { op, id: node.id, ...parentId ? { parentId } : {} };
    });
    const { outcomes: all } = await api.POST("/v1/library/nodes/bulk", { body: { operations } }).then(data);
    all.forEach((outcome, i) => {
      const node = some[i];
      if (!node) return;
      if (outcome.status >= 300) {
        reasons.push(`${nameOf(node)}: ${outcome.detail ?? "not possible."}`);
        return;
      }
      done.push(node);
      if (outcome.node) announce(outcome.node);
      else if (op === "erase") announceErased(node.id);
    });
  }
  if (reasons.length > 0) {
    toast(reasons.slice(0, 3).join(" ") + (reasons.length > 3 ? ` And ${counted(reasons.length - 3, "other")}.` : ""), { bad: true });
  }
  return done;
}

const named = (nodes: Node[]): string => nodes.length === 1 && nodes[0] ? nameOf(nodes[0]) : counted(nodes.length, "item");
const nothing = (): void => {};

export async function moveTo(nodes: Node[], folder: Node): Promise<void> {
  const moving = nodes.filter((n) => n.id !== folder.id && n.parentId !== folder.id);
  if (moving.length === 0) return;
  const moved = await attempt(() => bulk("move", moving, () => folder.id));
  if (!moved || moved.length === 0) return;
  undoable(`Moved ${named(moved)} to ${nameOf(folder)}.`, () => void attempt(() => bulk("move", moved, (n) => n.parentId)), nothing);
}

export async function trash(nodes: Node[]): Promise<boolean> {
  const gone = await attempt(() => bulk("trash", nodes));
  if (!gone || gone.length === 0) return false;
  undoable(`Moved ${named(gone)} to the trash.`, () => void attempt(() => bulk("restore", gone)), nothing);
  return true;
}

export async function restore(nodes: Node[]): Promise<void> {
  const back = await attempt(() => bulk("restore", nodes));
  if (back && back.length > 0) toast(`Restored ${named(back)}.`);
}

/** Permanently deletes nodes. */
export async function erase(nodes: Node[]): Promise<void> {
  const gone = await attempt(() => bulk("erase", nodes));
  if (gone && gone.length > 0) toast(`Permanently deleted ${named(gone)}.`);
}
