// A folder as a table or tiles, with a selection and its actions.
import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { navigate, query, setQuery } from "../router.js";
import { Confirm } from "../ui/ask.js";
import { Button, ButtonLink, IconButton } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Notice, RetryNotice, Skeleton } from "../ui/feedback.js";
import {
  Close, Download, FolderPlus, Globe, Grid, Library, Link, List, More, Move as MoveIcon, Pencil,
  Search, Trash, Upload,
} from "../ui/icon.js";
import { kept } from "../ui/kept.js";
import { Menu, type MenuItem } from "../ui/menu.js";
import { ordered } from "../ui/order.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Tiles } from "../ui/tiles.js";
import { Bdi, count, counted, Time } from "../ui/text.js";
import { openDialog } from "../upload/open.js";
import { accepted } from "../upload/queue.js";
import { ImportPage, Move, NewFolder, Rename } from "./dialogs.js";
import { handleOf, type Props, targetOf } from "./drag.js";
import { Listing, type Sort, sorts } from "./listing.js";
import { erase, followNodes, restore, trash } from "./nodes.js";
import { recordsOf, State, Thumbnail } from "./parts.js";
import { listClick, listKeys, Selection } from "./selection.js";
import { ShareDialog } from "./share.js";
import { here } from "./upload.js";
import { downloadOf, hrefOf, isFolder, isOwn, kindOf, type Node, nameOf, reasonOf, sizeOf, type Status } from "./view.js";

const rowHeight = 56; // px
const statuses: { key: Status | ""; label: string }[] = [
  { key: "", label: "Any status" },
  { key: "Processed", label: "Done" },
  { key: "ProcessedPartially", label: "Partly done" },
  { key: "Failed", label: "Failed" },
];
const viewKey = "assay-library-view";

type Asking = { what: "folder" | "page" } | { what: "rename" | "share"; node: Node } | { what: "move" | "erase"; nodes: Node[] };

function storedView(): string {
  try {
    return localStorage.getItem(viewKey) ?? "table";
  } catch {
    return "table"; // the browser does not allow storage
  }
}

export function FolderView({ node, crumbs, error }: {
  node: Node; crumbs: { href: string; label: string }[]; error: Error | undefined;
}): JSX.Element {
  const own = isOwn(node), name = nameOf(node), q = query.value;
  const sort: Sort = sorts.find((s) => s === q.get("sort")) ?? "name";
  const status = statuses.find((s) => s.key === q.get("status"))?.key || undefined;
  const view = q.get("view") ?? storedView();
  const listing = useMemo(
    () => kept(`library ${node.id} ${sort} ${status ?? ""} ${query.peek().get("link") ?? ""}`, () => new Listing(node.id, sort, status)),
    [node.id, sort, status],
  );
  const list = listing.nodes;
  const selection = useMemo(() => new Selection(), [node.id]);
  const [asking, ask] = useState<Asking>();
  useEffect(() => {
    list.refresh();
    return followNodes(node.id, { change: (c) => listing.apply(c), reset: () => list.refreshSoon() });
  }, [listing]);
  useEffect(() => {
    if (own && !node.trashed) here.value = { id: node.id, name };
    return () => { here.value = undefined; };
  }, [node.id, name, own, node.trashed]);
  useSignalEffect(() => { if (accepted.value?.area === "library") list.refreshSoon(); });

  const rows = list.items.value, order = useMemo(() => rows.map((r) => r.id), [rows]);
  const selected = rows.filter((r) => selection.has(r.id));
  const remove = (nodes: Node[]): void => { void trash(nodes).then((done) => { if (done) selection.clear(); }); };
  const actionsOf = (n: Node): MenuItem[] => [
    { label: isFolder(n) ? "Download as zip" : "Download", icon: Download, href: downloadOf(n), download: true },
    ...isOwn(n) ? [
      { label: "Share", icon: Link, act: () => ask({ what: "share", node: n }) },
      { label: "Rename", icon: Pencil, act: () => ask({ what: "rename", node: n }) },
      { label: "Move", icon: MoveIcon, act: () => ask({ what: "move", nodes: [n] }) },
      { label: "Move to trash", icon: Trash, danger: true, act: () => remove([n]) },
    ] : [],
  ];
  const root = node.type === "User";
  const header = (
    <>
      {own && !node.trashed && <Button icon={Upload} class="wide-only" onClick={() => openDialog()}>Upload here</Button>}
      {own && !node.trashed && <Button icon={FolderPlus} onClick={() => ask({ what: "folder" })}>New folder</Button>}
      <Menu label="More actions" button={<More />} items={[
        ...own && !node.trashed ? [{ label: "Import a web page", icon: Globe, act: () => ask({ what: "page" }) }] : [],
        { label: "Download as zip", icon: Download, href: downloadOf(node), download: true },
        ...own && !root && !node.trashed ? [
          { label: "Share", icon: Link, act: () => ask({ what: "share", node }) },
          { label: "Rename", icon: Pencil, act: () => ask({ what: "rename", node }) },
          { label: "Move", icon: MoveIcon, act: () => ask({ what: "move", nodes: [node] }) },
          { label: "Move to trash", icon: Trash, danger: true, act: () => {
            void trash([node]).then((done) => { if (done) navigate(crumbs.at(-1)?.href ?? "/library"); });
          } },
        ] : [],
      ]} />
    </>
  );
  return (
    <Page title={name} outside crumbs={crumbs} actions={header} short>
      {error && <Notice tone="bad">{error.message}</Notice>}
      {node.trashed && (
        <Notice tone="warn" action={<>
          <Button onClick={() => void restore([node])}>Restore</Button>
          <Button kind="danger" onClick={() => ask({ what: "erase", nodes: [node] })}>Delete permanently</Button>
        </>}>
          This folder is in the trash.
        </Notice>
      )}
      {selected.length > 0 ? (
        <Selected
          nodes={selected} clear={() => selection.clear()} all={() => selection.all(order)}
          total={rows.length} ask={ask} remove={() => remove(selected)} own={own}
        />
      ) : (
        <div class="toolbar library-toolbar">
          <form role="search" class="search-field" onSubmit={(event) => {
            event.preventDefault();
            find(new FormData(event.currentTarget).get("q")?.toString() ?? "");
          }}>
            <Search />
            <label>
              <span class="visually-hidden">Search in {name}</span>
              <input type="search" name="q" placeholder="Search" maxLength={500} />
            </label>
          </form>
          <div class="library-options">
            <label>
              <span class="visually-hidden">Status</span>
              <select value={status ?? ""} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
                {statuses.map((s) => <option key={s.key} value={s.key}>{s.label}</option>)}
              </select>
            </label>
            <label class={view === "tiles" ? "" : "narrow-only"}>
              <span class="visually-hidden">Order</span>
              <select
                value={sort}
                onChange={(event) => setQuery({ sort: event.currentTarget.value === "name" ? "" : event.currentTarget.value })}
              >
                <option value="name">Name</option>
                <option value="-name">Name, descending</option>
                <option value="-updatedAt">Newest</option>
                <option value="updatedAt">Oldest</option>
                <option value="-size">Largest</option>
                <option value="size">Smallest</option>
              </select>
            </label>
            <div class="choice" role="group" aria-label="View">
              <button type="button" aria-pressed={view !== "tiles"} aria-label="Table" title="Table" onClick={() => show("table")}>
                <List />
              </button>
              <button type="button" aria-pressed={view === "tiles"} aria-label="Tiles" title="Tiles" onClick={() => show("tiles")}>
                <Grid />
              </button>
            </div>
          </div>
        </div>
      )}
      {list.error.value && list.begun.value && <RetryNotice error={list.error.value} retry={list.retry} />}
      <div
        onKeyDown={(event) => listKeys(event, { order, selection, ...own ? { remove: removeChosen, rename: renameChosen } : {} })}
        onClickCapture={(event) => listClick(event, order, selection)}
      >
        {content()}
      </div>
      {dialog()}
    </Page>
  );

  function show(as: "table" | "tiles"): void {
    try {
      localStorage.setItem(viewKey, as);
    } catch { /* the browser does not allow storage */ }
    setQuery({ view: as });
  }

  // The keys act on the selection of the moment, which may be newer than the one that is rendered.
  function removeChosen(): void {
    remove(rows.filter((r) => selection.ids.peek().has(r.id)));
  }

  function renameChosen(): void {
    const one = rows.find((r) => selection.ids.peek().has(r.id));
    if (one) ask({ what: "rename", node: one });
  }

  function find(text: string): void {
    if (text.trim()) navigate("/search?" + new URLSearchParams({ q: text.trim(), ...root ? {} : { in: node.id } }).toString());
  }

  function content(): ComponentChildren {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the folder" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="the folder"><Skeleton rows={8} height={rowHeight - 1} /></Loading>;
    if (rows.length === 0 && status) {
      return (
        <EmptyState icon={Search} title="No files match" action={<Button onClick={() => setQuery({ status: "" })}>Show all</Button>}>
          No file in this folder has this status.
        </EmptyState>
      );
    }
    if (rows.length === 0 && !own) return <EmptyState icon={Library} title="This folder is empty" />;
    if (rows.length === 0) {
      return (
        <EmptyState icon={Library} title={root ? "Your library is empty" : "This folder is empty"} action={<>
          <Button kind="primary" icon={Upload} onClick={() => openDialog()}>Upload files</Button>
          <Button icon={Globe} onClick={() => ask({ what: "page" })}>Import a web page</Button>
        </>}>
          <span class="mouse">Drop files or folders anywhere on this page. </span>
          You get previews, records of tables and molecules, and search in all texts.
        </EmptyState>
      );
    }
    return (
      <>
        {view === "tiles" ? (
          <Tiles
            label={name} items={rows} itemKey={(n) => n.id} width={150} height={212} onShow={list.show}
            tile={(n) => <Tile node={n} selection={selection} selected={selected} actions={actionsOf(n)} />}
          />
        ) : (
          <Table
            label={name} columns={columns()} rows={rows} rowKey={(n) => n.id} rowHeight={rowHeight} onShow={list.show} linked
            rowClass={(n) => selection.has(n.id) ? "selected" : ""}
            rowProps={(n) => ({ "data-id": n.id, ...own ? dragOf(n) : {} })}
          />
        )}
        {list.more.value ? <Skeleton rows={2} height={rowHeight - 1} /> : <p class="list-end">{counted(rows.length, "item")}</p>}
      </>
    );
  }

  function dragOf(n: Node): Props {
    const handle = handleOf(() => {
      if (selection.ids.peek().has(n.id)) return selected;
      selection.only(n.id);
      return [n];
    });
    return { ...handle, ...isFolder(n) ? targetOf(n) : {} };
  }

  function columns(): Column<Node>[] {
    const by = (key: "name" | "size" | "updatedAt", label: string): Pick<Column<Node>, "head" | "sorted"> => ordered({
      key, label, sort, first: key === "name" ? key : `-${key}`, choose: (to) => setQuery({ sort: to === "name" ? "" : to }),
    });
    return [
      { key: "select", label: "Selected", width: "20px", quiet: true, cell: (n) => <Select node={n} selection={selection} /> },
      { key: "name", label: "Name", width: "minmax(0, 1fr)", ...by("name", "Name"), cell: (n) => <NameCell node={n} /> },
      { key: "status", label: "Status", width: "8rem", wide: true, cell: (n) => <State node={n} /> },
      {
        key: "records", label: "Records", width: "5rem", align: "end", wide: true,
        cell: (n) => <span class="soft num">{n.totalRecords ? count(n.totalRecords) : ""}</span>,
      },
      {
        key: "size", label: "Size", width: "6rem", align: "end", wide: true, ...by("size", "Size"),
        cell: (n) => <span class="soft num">{sizeOf(n)}</span>,
      },
      {
        key: "time", label: "Modified", width: "9rem", wide: true, ...by("updatedAt", "Modified"),
        cell: (n) => n.updatedAt ? <Time iso={n.updatedAt} /> : null,
      },
      {
        key: "actions", label: "Actions", width: "2.5rem", quiet: true, align: "end",
        cell: (n) => <Menu label={`Actions for ${nameOf(n)}`} button={<More />} items={actionsOf(n)} />,
      },
    ];
  }

  function dialog(): JSX.Element | null {
    const close = (): void => ask(undefined);
    switch (asking?.what) {
      case "folder": return <NewFolder parentId={node.id} close={close} />;
      case "page": return <ImportPage parentId={node.id} close={close} />;
      case "rename": return <Rename node={asking.node} close={close} />;
      case "share": return <ShareDialog node={asking.node} close={close} />;
      case "move": return <Move nodes={asking.nodes} close={() => { close(); selection.clear(); }} />;
      case "erase": return (
        <Confirm title="Delete the folder permanently?" verb="Delete permanently" close={close} act={() => {
          void erase(asking.nodes).then(() => navigate("/library/trash"));
        }}>
          The folder and everything in it will be deleted. You cannot undo this.
        </Confirm>
      );
      case undefined: return null;
    }
  }
}

function Selected({ nodes, total, clear, all, ask, remove, own }: {
  nodes: Node[]; total: number; clear: () => void; all: () => void; ask: (what: Asking) => void; remove: () => void;
  own: boolean;
}): JSX.Element {
  const one = nodes.length === 1 ? nodes[0] : undefined;
  return (
    <div class="toolbar library-toolbar selection" role="group" aria-label="Selection">
      <p role="status">
        <IconButton icon={Close} label="Clear selection" onClick={clear} />
        <strong>{count(nodes.length)} selected</strong>
        {nodes.length < total && <Button kind="quiet" onClick={all}>Select all</Button>}
      </p>
      <div class="library-options">
        {one && <ButtonLink icon={Download} href={downloadOf(one)} download>Download</ButtonLink>}
        {own && <Button icon={MoveIcon} onClick={() => ask({ what: "move", nodes })}>Move</Button>}
        {own && one && <Button icon={Pencil} class="wide-only" onClick={() => ask({ what: "rename", node: one })}>Rename</Button>}
        {own && one && <Button icon={Link} class="wide-only" onClick={() => ask({ what: "share", node: one })}>Share</Button>}
        {own && <Button kind="danger" icon={Trash} onClick={remove}>Trash</Button>}
      </div>
    </div>
  );
}

function Select({ node, selection }: { node: Node; selection: Selection }): JSX.Element {
  return (
    <input
      type="checkbox" class="select" aria-label={`Select ${nameOf(node)}`}
      checked={selection.has(node.id)}
      onClick={(event) => { event.currentTarget.checked = selection.ids.peek().has(node.id); }}
    />
  );
}

function NameCell({ node }: { node: Node }): JSX.Element {
  return (
    <div class="node-name">
      <Thumbnail node={node} size={80} />
      <div class="grow">
        <a class="name" href={hrefOf(node)} draggable={false}><Bdi text={nameOf(node)} clip /></a>
        {node.status === "Failed" && node.errorMessage && <span class="sub bad clip wide-only"><Bdi text={reasonOf(node)} clip /></span>}
        <span class={node.status === "Failed" && node.errorMessage ? "sub clip narrow-only" : "sub clip"}>
          <span>{kindOf(node)}</span>
          <span class="narrow-only">
            {recordsOf(node) && ` · ${recordsOf(node)}`}
            {sizeOf(node) && ` · ${sizeOf(node)}`}
            {node.status === "Failed" && " · Failed"}
          </span>
        </span>
      </div>
    </div>
  );
}

function Tile({ node, selection, selected, actions }: {
  node: Node; selection: Selection; selected: Node[]; actions: MenuItem[];
}): JSX.Element {
  const drag = isOwn(node)
    ? { ...handleOf(() => selection.ids.peek().has(node.id) ? selected : [node]), ...isFolder(node) ? targetOf(node) : {} }
    : {};
  return (
    <div class={selection.has(node.id) ? "node-tile selected" : "node-tile"} data-id={node.id} {...drag}>
      <a class="node-picture" href={hrefOf(node)} draggable={false} tabIndex={-1} aria-hidden="true">
        <Thumbnail node={node} size={300} large />
      </a>
      <Select node={node} selection={selection} />
      <div class="node-caption">
        <div class="grow">
          <a class="name" href={hrefOf(node)} draggable={false}><Bdi text={nameOf(node)} clip /></a>
          <span class="sub clip">
            {node.status === "Failed" ? "Failed" : sizeOf(node) || kindOf(node)}
          </span>
        </div>
        <Menu label={`Actions for ${nameOf(node)}`} button={<More />} items={actions} />
      </div>
    </div>
  );
}
