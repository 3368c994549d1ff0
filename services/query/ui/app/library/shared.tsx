// The nodes that others share with the user, and public nodes.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, data } from "../api/client.js";
import { path } from "../router.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Globe, People } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, Time } from "../ui/text.js";
import { followNodes } from "./nodes.js";
import { State, Thumbnail } from "./parts.js";
import { Places } from "./places.js";
import { hrefOf, kindOf, type Node, nameOf, sizeOf } from "./view.js";

export default function SharedPage(): JSX.Element {
  const open = path.value.endsWith("/public");
  const list = useMemo(() => new Endless<Node>(async (cursor) => {
    const params = { query: { limit: 100, ...cursor ? { cursor } : {} } };
    const page = await (open
      ? api.GET("/v1/library/nodes/public", { params })
      : api.GET("/v1/library/nodes/shared", { params })).then(data);
    return { items: page.nodes, cursor: page.nextCursor };
  }, (n) => n.id), [open]);
  useEffect(() => {
    list.refresh();
    return followNodes(undefined, { change: () => list.refreshSoon(), reset: () => list.refreshSoon() });
  }, [list]);
  const rows = list.items.value;
  const columns: Column<Node>[] = [
    { key: "name", label: "Name", width: "minmax(0, 1fr)", cell: (n) => (
      <div class="node-name">
        <Thumbnail node={n} size={80} />
        <div class="grow"><a class="name" href={hrefOf(n)}><Bdi text={nameOf(n)} clip /></a><span class="sub">{kindOf(n)}</span></div>
      </div>
    ) },
    { key: "status", label: "Status", width: "8rem", wide: true, cell: (n) => <State node={n} /> },
    {
      key: "size", label: "Size", width: "6rem", align: "end", wide: true,
      cell: (n) => <span class="soft num">{sizeOf(n)}</span>,
    },
    { key: "time", label: "Modified", width: "9rem", wide: true, cell: (n) => n.updatedAt ? <Time iso={n.updatedAt} /> : null },
  ];
  return (
    <div class="library">
      <Places />
      <div class="library-main">
        <Page
          title={open ? "Public" : "Shared with me"}
          lead={open
            ? "Files and folders that anyone who can reach this server can read."
            : "Files and folders that others share with you."}
        >
          {content()}
        </Page>
      </div>
    </div>
  );

  function content(): JSX.Element {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the list" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="the list"><Skeleton rows={4} height={55} /></Loading>;
    if (rows.length === 0 && open) {
      return <EmptyState icon={Globe} title="No public items">To make a file or folder public, choose Share in its menu.</EmptyState>;
    }
    if (rows.length === 0) {
      return (
        <EmptyState icon={People} title="Nothing is shared with you">
          Files and folders that others share with you appear here. Sharing requires a server with sign-in.
        </EmptyState>
      );
    }
    return (
      <Table label={open ? "Public" : "Shared with me"} columns={columns} rows={rows} rowKey={(n) => n.id} onShow={list.show} linked />
    );
  }
}
