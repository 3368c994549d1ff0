// The folder tree of the caller. Folders are loaded when they are expanded.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { IconButton } from "../ui/button.js";
import { ChevronRight, Folder, Library } from "../ui/icon.js";
import { Bdi } from "../ui/text.js";
import { targetOf } from "./drag.js";
import { type Change, followNodes, remember } from "./nodes.js";
import { hrefOf, type Node, nameOf } from "./view.js";

interface Branch {
  folders: Node[];
  error?: string;
}

const root = signal<Node | undefined>(undefined);
const branches = signal<ReadonlyMap<string, Branch>>(new Map()); // by the id of the folder
const opened = signal<ReadonlySet<string>>(new Set());
const collator = new Intl.Collator(navigator.languages, { numeric: true });
const most = 5000; // approximate maximum number of subfolders loaded for one folder

async function load(id: string): Promise<void> {
  const folders: Node[] = [];
  let cursor: string | undefined, error: string | undefined;
  try {
    do {
      const query = { type: "Folder" as const, limit: 1000, ...cursor ? { cursor } : {} };
      const page = await api.GET("/v1/library/nodes/{id}/children", { params: { path: { id }, query } }).then(data);
      folders.push(...page.nodes);
      cursor = page.nextCursor;
    } while (cursor && folders.length < most);
  } catch (failed) {
    error = message(failed);
  }
  folders.sort((a, b) => collator.compare(nameOf(a), nameOf(b)));
  remember(folders);
  branches.value = new Map(branches.peek()).set(id, { folders, ...error ? { error } : {} });
}

async function begin(): Promise<void> {
  const found = await api.GET("/v1/library/nodes/root").then(data).catch(() => undefined); // the page shows the error
  if (!found) return;
  root.value = found;
  opened.value = new Set(opened.peek()).add(found.id);
  await load(found.id);
}

function toggle(id: string): void {
  const next = new Set(opened.peek());
  if (!next.delete(id)) next.add(id);
  opened.value = next;
  if (next.has(id)) void load(id);
}

function apply(change: Change): void {
  if (change.type === "File" || change.type === "Model") return;
  for (const [id, { folders }] of branches.peek()) {
    const listed = folders.find((f) => f.id === change.nodeId);
    const belongs = change.change !== "deleted" && !change.trashed && change.parentId === id;
    if (listed ? !belongs || listed.name !== change.name : belongs) void load(id);
  }
}

/** Opens the folders above a node. */
function reveal(path: Node[]): void {
  const above = path.slice(0, -1).map((n) => n.id).filter((id) => !opened.peek().has(id));
  if (above.length === 0) return;
  opened.value = new Set([...opened.peek(), ...above]);
  for (const id of above) if (!branches.peek().has(id)) void load(id);
}

interface TreeProps {
  label: string;
  /** From the top to the folder that is shown. */
  path?: Node[];
  /** Chooses a folder; without it, folders are links. */
  choose?: (folder: Node) => void;
  chosen?: string | undefined;
  /** Folders that cannot be chosen, including everything below them. */
  without?: ReadonlySet<string>;
}

export function Tree(props: TreeProps): JSX.Element {
  const { path = [] } = props;
  useEffect(() => {
    void begin();
    return followNodes(undefined, { change: apply, reset: () => void begin() });
  }, []);
  const key = path.map((n) => n.id).join();
  useEffect(() => reveal(path), [key]);
  return <ul class="tree" aria-label={props.label}>{root.value && <Item node={root.value} level={0} {...props} />}</ul>;
}

function Item({ node, level, ...props }: { node: Node; level: number } & TreeProps): JSX.Element {
  const branch = branches.value.get(node.id), open = opened.value.has(node.id), { choose, chosen, without } = props;
  const empty = branch !== undefined && branch.folders.length === 0 && !branch.error, name = nameOf(node);
  const Icon = node.type === "User" ? Library : Folder;
  const excluded = without?.has(node.id) ?? false, current = chosen === node.id;
  return (
    <li>
      <div
        class={current ? "tree-row current" : "tree-row"} style={{ paddingInlineStart: `${level * 16}px` }}
        {...choose ? {} : targetOf(node)}
      >
        {empty || excluded
          ? <span class="tree-space" />
          : (
            <IconButton
              icon={ChevronRight} class={open ? "twist open" : "twist"} aria-expanded={open}
              label={`${open ? "Close" : "Open"} ${name}`} onClick={() => toggle(node.id)}
            />
          )}
        {choose
          ? (
            <button type="button" class="tree-name" aria-pressed={current} disabled={excluded} onClick={() => choose(node)}>
              <Icon />
              <Bdi text={name} clip />
            </button>
          )
          : (
            <a class="tree-name" href={hrefOf(node)} aria-current={current ? "page" : undefined} draggable={false}>
              <Icon />
              <Bdi text={name} clip />
            </a>
          )}
      </div>
      {open && !excluded && branch && branch.folders.length > 0 && (
        <ul>{branch.folders.map((f) => <Item key={f.id} {...props} node={f} level={level + 1} />)}</ul>
      )}
      {open && branch?.error && <p class="sub bad" role="alert">{branch.error}</p>}
    </li>
  );
}
