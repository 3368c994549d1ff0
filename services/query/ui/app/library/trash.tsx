// The trash, with actions to restore nodes, erase nodes, and empty it.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, data } from "../api/client.js";
import { Confirm } from "../ui/ask.js";
import { Button, IconButton } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Close, Retry, Trash } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, bytes, count, counted, Time } from "../ui/text.js";
import { attempt, erase, followNodes, restore } from "./nodes.js";
import { Thumbnail } from "./parts.js";
import { Places } from "./places.js";
import { listClick, listKeys, Selection } from "./selection.js";
import { hrefOf, kindOf, type Node, nameOf } from "./view.js";

function read(limit: number, cursor?: string): Promise<{ nodes: Node[]; nextCursor?: string }> {
  return api.GET("/v1/library/nodes/trash", { params: { query: { limit, ...cursor ? { cursor } : {} } } }).then(data);
}

/** Permanently deletes everything in the trash. */
async function empty(): Promise<void> {
  const all: Node[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(1000, cursor);
    all.push(...page.nodes);
    cursor = page.nextCursor;
  } while (cursor);
  await erase(all);
}

export default function TrashPage(): JSX.Element {
  const list = useMemo(() => new Endless<Node>(async (cursor) => {
    const page = await read(100, cursor);
    return { items: page.nodes, cursor: page.nextCursor };
  }, (n) => n.id), []);
  const selection = useMemo(() => new Selection(), []);
  const [asking, ask] = useState<"selected" | "all">();
  useEffect(() => {
    list.refresh();
    return followNodes(undefined, {
      change: ({ nodeId, change, trashed }) => {
        if (change === "deleted" || !trashed) list.remove(nodeId);
        else list.refreshSoon();
      },
      reset: () => list.refreshSoon(),
    });
  }, [list]);
  const rows = list.items.value, order = rows.map((r) => r.id), selected = rows.filter((r) => selection.has(r.id));
  const close = (): void => ask(undefined);
  const emptyTrash = <Button kind="danger" icon={Trash} onClick={() => ask("all")}>Empty trash</Button>;
  const columns: Column<Node>[] = [
    {
      key: "select", label: "Selected", width: "20px", quiet: true,
      cell: (n) => (
        <input
          type="checkbox" class="select" aria-label={`Select ${nameOf(n)}`}
          checked={selection.has(n.id)}
          onClick={(event) => { event.currentTarget.checked = selection.ids.peek().has(n.id); }}
        />
      ),
    },
    { key: "name", label: "Name", width: "minmax(0, 1fr)", cell: (n) => (
      <div class="node-name">
        <Thumbnail node={n} size={80} />
        <div class="grow"><a class="name" href={hrefOf(n)}><Bdi text={nameOf(n)} clip /></a><span class="sub">{kindOf(n)}</span></div>
      </div>
    ) },
    {
      key: "size", label: "Size", width: "6rem", align: "end", wide: true,
      cell: (n) => <span class="soft num">{n.length === undefined ? "" : bytes(n.length)}</span>,
    },
    { key: "time", label: "Deleted", width: "9rem", wide: true, cell: (n) => n.trashedAt ? <Time iso={n.trashedAt} /> : null },
    {
      key: "actions", label: "Actions", width: "2.5rem", quiet: true, align: "end",
      cell: (n) => <IconButton icon={Retry} label={`Restore ${nameOf(n)}`} onClick={() => void restore([n])} />,
    },
  ];
  return (
    <div class="library">
      <Places />
      <div class="library-main">
        <Page
          title="Trash" lead="By default, items are permanently deleted after 30 days."
          actions={rows.length > 0 ? emptyTrash : undefined}
        >
          {selected.length > 0 && (
            <div class="toolbar library-toolbar selection" role="group" aria-label="Selection">
              <p role="status">
                <IconButton icon={Close} label="Clear selection" onClick={() => selection.clear()} />
                <strong>{count(selected.length)} selected</strong>
              </p>
              <div class="library-options">
                <Button icon={Retry} onClick={() => { void restore(selected); selection.clear(); }}>Restore</Button>
                <Button kind="danger" icon={Trash} onClick={() => ask("selected")}>Delete permanently</Button>
              </div>
            </div>
          )}
          <div
            onKeyDown={(event) => listKeys(event, { order, selection, remove: () => ask("selected") })}
            onClickCapture={(event) => listClick(event, order, selection)}
          >
            {content()}
          </div>
          {asking === "all" && (
            <Confirm title="Empty the trash?" verb="Empty trash" close={close} act={() => void attempt(empty)}>
              All items in the trash and everything in its folders will be deleted. You cannot undo this.
            </Confirm>
          )}
          {asking === "selected" && (
            <Confirm
              title={`Delete ${counted(selected.length, "item")} permanently?`}
              verb="Delete permanently" close={close}
              act={() => { void erase(selected); selection.clear(); }}
            >
              The selected items and everything in selected folders will be deleted. You cannot undo this.
            </Confirm>
          )}
        </Page>
      </div>
    </div>
  );

  function content(): JSX.Element {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the trash" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="the trash"><Skeleton rows={4} height={55} /></Loading>;
    if (rows.length === 0) {
      return (
        <EmptyState icon={Trash} title="The trash is empty">
          Files and folders that you delete are moved here. You can restore them.
        </EmptyState>
      );
    }
    return (
      <Table
        label="Trash" columns={columns} rows={rows} rowKey={(n) => n.id} onShow={list.show} linked
        rowClass={(n) => selection.has(n.id) ? "selected" : ""}
        rowProps={(n) => ({ "data-id": n.id })}
      />
    );
  }
}
