import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.js";
import { owner } from "../api/identity.js";
import { followArea } from "../api/live.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { TableIcon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Bdi, counted } from "../ui/text.js";

type Item = Schemas["LineCount"];

export default function LineCounts(): JSX.Element {
  const list = useMemo(() => new Endless<Item>(async (cursor) => {
    const params = { path: { ownerId: owner.value }, query: cursor ? { cursor } : {} };
    const page = await api.GET("/v1/owners/{ownerId}/linecounts", { params }).then(data);
    return { items: page.lineCounts, cursor: page.nextCursor };
  }, (item) => item.id, (_, fresh) => fresh), []);
  useEffect(() => {
    list.refresh();
    return followArea("linecount", () => list.refreshSoon(), () => list.refreshSoon());
  }, [list]);
  return <Page title="Line counts" lead="The lines of a text are counted as soon as it is uploaded.">{content()}</Page>;

  function content(): JSX.Element {
    if (list.error.value) return <ErrorState title="Could not load the list" error={list.error.value} retry={() => list.refresh()} />;
    if (!list.begun.value) return <Loading what="line counts"><Skeleton rows={4} height={55} /></Loading>;
    if (list.items.value.length === 0) return <EmptyState icon={TableIcon} title="No line counts yet">Upload a text.</EmptyState>;
    return (
      <ul class="line-counts">
        {list.items.value.map((item) => (
          <li key={item.id}>
            <Bdi text={item.fileName} /> {item.status === "COMPLETED" ? counted(item.lines, "line") : item.errorMessage ?? item.status}
          </li>
        ))}
      </ul>
    );
  }
}
