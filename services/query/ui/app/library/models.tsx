// All models of the user, newest first.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, data } from "../api/client.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { ButtonLink } from "../ui/button.js";
import { Model } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, counted, Time } from "../ui/text.js";
import { followNodes } from "./nodes.js";
import { State, Thumbnail } from "./parts.js";
import { Places } from "./places.js";
import { hrefOf, type Node, nameOf } from "./view.js";

const columns: Column<Node>[] = [
  { key: "name", label: "Name", width: "minmax(0, 1fr)", cell: (n) => (
    <div class="node-name">
      <Thumbnail node={n} size={80} />
      <div class="grow">
        <a class="name" href={hrefOf(n)}><Bdi text={nameOf(n)} clip /></a>
        {n.errorMessage && <span class="sub bad clip"><Bdi text={n.errorMessage} clip /></span>}
      </div>
    </div>
  ) },
  { key: "status", label: "Status", width: "8rem", cell: (n) => <State node={n} /> },
  { key: "time", label: "Created", width: "9rem", wide: true, cell: (n) => n.createdAt ? <Time iso={n.createdAt} /> : null },
];

export default function ModelsPage(): JSX.Element {
  const list = useMemo(() => new Endless<Node>(async (cursor) => {
    const page = await api.GET("/v1/library/nodes", {
      params: { query: { type: "Model", limit: 100, ...cursor ? { cursor } : {} } },
    }).then(data);
    return { items: page.nodes, cursor: page.nextCursor };
  }, (n) => n.id), []);
  useEffect(() => {
    list.refresh();
    return followNodes(undefined, {
      change: ({ type, change }) => { if (type === "Model" || change === "deleted") list.refreshSoon(); },
      reset: () => list.refreshSoon(),
    });
  }, [list]);
  return (
    <div class="library">
      <Places />
      <div class="library-main">
        <Page title="Models" lead="Models that you trained on the records of files, in all folders.">
          {list.error.value && list.begun.value && <RetryNotice error={list.error.value} retry={list.retry} />}
          {content()}
        </Page>
      </div>
    </div>
  );

  function content(): JSX.Element {
    const rows = list.items.value;
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the models" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="the models"><Skeleton rows={4} height={55} /></Loading>;
    if (rows.length === 0) {
      return (
        <EmptyState icon={Model} title="No models" action={<ButtonLink href="/library">Open the library</ButtonLink>}>
          Open a file with records, such as molecules or a table, and choose Train a model.
        </EmptyState>
      );
    }
    return (
      <>
        <Table label="Models" columns={columns} rows={rows} rowKey={(n) => n.id} onShow={list.show} linked />
        {list.more.value ? <Skeleton rows={2} height={55} /> : <p class="list-end">{counted(rows.length, "model")}</p>}
      </>
    );
  }
}
