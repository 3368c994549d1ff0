import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { data } from "../api/client.js";
import { query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Check, Retry, Search, Trash } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, count, Time } from "../ui/text.js";
import { areaName, classCodes, className } from "./areas.js";
import { Bulk, type Kind } from "./bulk.js";
import { api, type Schemas } from "./client.js";

type Entry = Schemas["DeadLetterView"];

const pageSize = 100;
const every = 15_000; // ms between refreshes
const typing = 400; // ms from the last input until the filter is applied

const columns: Column<Entry>[] = [
  { key: "reason", label: "Reason", width: "minmax(0, 1fr)", cell: (l) => <>
    <a class="name" href={`/operations/dead/${l.sequence}`}><Bdi text={l.reason} clip /></a>
    <span class="sub clip"><Bdi text={l.name ?? l.item ?? l.subject} clip /></span>
  </> },
  { key: "class", label: "Class", width: "9rem", wide: true, cell: (l) => <>
    {className(l.class)}<span class="sub clip">{areaName(l.area)}</span>
  </> },
  { key: "owner", label: "Owner", width: "8rem", wide: true, cell: (l) => l.owner ? <code class="clip">{l.owner}</code> : "–" },
  { key: "attempts", label: "Attempts", width: "5rem", align: "end", wide: true, cell: (l) => l.attempts > 0 ? count(l.attempts) : "–" },
  { key: "last", label: "Given up", width: "6.5rem", align: "end", cell: (l) => <Time iso={l.last} /> },
];

export default function DeadLetters(): JSX.Element {
  const consumer = query.value.get("consumer") ?? "", reason = query.value.get("reason") ?? "";
  const kind = classCodes.find((code) => code === query.value.get("class"));
  const [consumers, setConsumers] = useState<Record<string, number>>({});
  const [bulk, setBulk] = useState<Kind | undefined>(), [typed, type] = useState(reason);
  const list = useMemo(() => new Endless<Entry>(async (cursor) => {
    const filter = {
      limit: pageSize, ...consumer ? { consumer } : {}, ...kind ? { class: kind } : {}, ...reason ? { reason } : {},
      ...cursor ? { after: Number(cursor) } : {},
    };
    const page = await api.GET("/v1/dead", { params: { query: filter } }).then(data);
    setConsumers(page.consumers);
    return { items: page.deadLetters, cursor: page.more ? String(page.deadLetters.at(-1)?.sequence) : undefined };
  }, (entry) => String(entry.sequence)), [consumer, kind, reason]);
  useEffect(() => {
    list.refresh();
    const timer = setInterval(() => { if (!document.hidden) list.refreshSoon(); }, every);
    return () => clearInterval(timer);
  }, [list]);
  useEffect(() => {
    if (typed === reason) return;
    const timer = setTimeout(() => setQuery({ reason: typed }), typing);
    return () => clearTimeout(timer);
  }, [typed]);
  const rows = list.items.value, filtered = consumer !== "" || kind !== undefined || reason !== "";
  const names = [...new Set([...Object.keys(consumers), ...consumer ? [consumer] : []])].sort();

  const content = (): JSX.Element => {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the dead letters" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="dead letters"><Skeleton rows={8} height={55} /></Loading>;
    if (rows.length > 0) {
      return (
        <>
          <Table label="Dead letters" columns={columns} rows={rows} rowKey={(l) => String(l.sequence)} onShow={list.show} linked />
          {list.more.value ? <Skeleton rows={2} height={55} /> : <p class="list-end">{count(rows.length)} shown</p>}
        </>
      );
    }
    if (filtered) {
      return (
        <EmptyState
          icon={Search} title="No dead letters match"
          action={<Button onClick={() => { type(""); setQuery({ consumer: "", class: "", reason: "" }); }}>Show all</Button>}
        >
          No dead letter has this consumer, class and reason.
        </EmptyState>
      );
    }
    return (
      <EmptyState icon={Check} title="No dead letters">
        No message was lost to a fault. A message that cannot be processed because of a fault is kept here with the reason, and
        can be replayed. Files that cannot be read are not listed here: their owners see why.
      </EmptyState>
    );
  };

  return (
    <Page title="Dead letters" lead="Messages that no consumer could process because of a fault." actions={rows.length > 0 && <>
      <Button icon={Retry} kind="primary" onClick={() => setBulk("replay")}>Replay {filtered ? "matching" : "all"} …</Button>
      <Button icon={Trash} kind="danger" onClick={() => setBulk("drop")}>Delete {filtered ? "matching" : "all"} …</Button>
    </>}>
      <div class="toolbar">
        <div class="filters">
          <label>Consumer<select value={consumer} onChange={(event) => setQuery({ consumer: event.currentTarget.value })}>
            <option value="">All</option>
            {names.map((name) => <option key={name} value={name}>{name} ({count(consumers[name] ?? 0)})</option>)}
          </select></label>
          <label>Class<select value={kind ?? ""} onChange={(event) => setQuery({ class: event.currentTarget.value })}>
            <option value="">All</option>
            {classCodes.map((code) => <option key={code} value={code}>{className(code)}</option>)}
          </select></label>
          <label>Reason contains<input type="search" value={typed} onInput={(event) => type(event.currentTarget.value)} /></label>
        </div>
      </div>
      {list.error.value && list.begun.value && <RetryNotice error={list.error.value} retry={() => list.refresh()} />}
      {content()}
      {bulk && (
        <Bulk
          kind={bulk}
          filter={{ ...consumer ? { consumer } : {}, ...kind ? { class: kind } : {}, ...reason ? { reason } : {} }}
          close={() => { setBulk(undefined); list.refresh(); }}
        />
      )}
    </Page>
  );
}
