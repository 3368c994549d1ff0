import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { data, message } from "../api/client.js";
import { query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Check, Retry, Search } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Choice } from "../ui/tabs.js";
import { Bdi, count, duration, Time } from "../ui/text.js";
import { areaName, findingText } from "./areas.js";
import { api, type Schemas } from "./client.js";
import { usePolled } from "../ui/poll.js";

type Area = Schemas["Area"];
type Report = Schemas["RunReport"];
type Row = Area["findings"][number] & { area: string };

const every = 15_000; // ms

const runColumns: Column<Area>[] = [
  { key: "area", label: "Area", width: "minmax(6rem, 1fr)", cell: (a) => <>
    <strong>{areaName(a.name)}</strong>
    {a.last.error !== undefined && <span class="sub bad clip"><Bdi text={a.last.error} clip /></span>}
  </> },
  { key: "at", label: "Last sweep", width: "7rem", cell: (a) => <Time iso={a.last.at} /> },
  { key: "read", label: "Read", width: "5rem", align: "end", wide: true, cell: (a) => count(a.last.read) },
  { key: "found", label: "Found", width: "4rem", align: "end", cell: (a) => count(a.last.found) },
  { key: "repaired", label: "Repaired", width: "5rem", align: "end", wide: true, cell: (a) => count(a.last.repaired) },
  {
    key: "failed", label: "Not repaired", width: "6.5rem", align: "end", wide: true,
    cell: (a) => a.last.failed > 0 ? <span class="bad">{count(a.last.failed)}</span> : "0",
  },
  {
    key: "took", label: "Took", width: "6rem", align: "end", wide: true,
    cell: (a) => a.last.millis < 1000 ? `${count(a.last.millis)} ms` : duration(a.last.millis / 1000),
  },
];

const findingColumns: Column<Row>[] = [
  { key: "found", label: "Finding", width: "minmax(0, 1fr)", cell: (f) => <>
    <strong class="clip">{findingText(f.found) || f.found}</strong>
    <span class={f.error === undefined ? "sub clip" : "sub bad clip"}><Bdi text={f.error ?? f.id} clip /></span>
  </> },
  { key: "area", label: "Area", width: "8rem", wide: true, cell: (f) => areaName(f.area) },
  { key: "state", label: "State", width: "8.5rem", cell: (f) => <State finding={f} /> },
  { key: "at", label: "When", width: "8rem", align: "end", wide: true, cell: (f) => <Time iso={f.at} /> },
];

function State({ finding }: { finding: { repaired: boolean; error?: string } }): JSX.Element {
  if (finding.repaired) return <Badge tone="good">Repaired</Badge>;
  return finding.error === undefined ? <Badge tone="neutral">Found only</Badge> : <Badge tone="bad">Not repaired</Badge>;
}

export default function Sweeps(): JSX.Element {
  const { value, error, again } = usePolled(() => api.GET("/v1/sweeps").then(data), every);
  const [running, setRunning] = useState<"" | "dry" | "repair">("");
  const [report, setReport] = useState<Report | undefined>(), [failed, setFailed] = useState("");
  const run = async (dryRun: boolean): Promise<void> => {
    setRunning(dryRun ? "dry" : "repair");
    setFailed("");
    setReport(undefined);
    try {
      setReport(await api.POST("/v1/sweeps", { body: { dryRun } }).then(data));
      await again();
    } catch (problem) {
      setFailed(message(problem));
    }
    setRunning("");
  };
  return (
    <Page title="Sweeps" lead="Analyzers compare tables, buckets and streams, and repair what is stuck." actions={<>
      <Button icon={Search} disabled={running !== ""} onClick={() => void run(true)}>{running === "dry" ? "Sweeping …" : "Dry run"}</Button>
      <Button kind="primary" icon={Retry} disabled={running !== ""} onClick={() => void run(false)}>
        {running === "repair" ? "Sweeping …" : "Sweep now"}
      </Button>
    </>}>
      <div role="status">{report && <Ran report={report} />}</div>
      {failed && <Notice tone="bad">{failed}</Notice>}
      {value && error && <RetryNotice error={error} retry={() => void again()} />}
      {value
        ? <Shown areas={value.areas} />
        : error ? <ErrorState title="Could not load the sweeps" error={error} retry={() => void again()} />
        : <Loading what="sweeps"><Skeleton rows={5} height={47} /></Loading>}
    </Page>
  );
}

function Ran({ report }: { report: Report }): JSX.Element {
  if (!report.done) return <Notice tone="active">The sweep takes longer than 10 seconds and continues. Its findings follow below.</Notice>;
  const result = report.dryRun ? "nothing was changed" : `${count(report.repaired)} repaired, ${count(report.failed)} not repaired`;
  return (
    <Notice tone={report.error !== undefined || report.failed > 0 ? "bad" : report.found > 0 ? "warn" : "good"}>
      {report.dryRun ? "Dry run: " : ""}{count(report.read)} read, {count(report.found)} found, {result}.
      {report.error !== undefined && <> <Bdi text={report.error} /></>}
    </Notice>
  );
}

function Shown({ areas }: { areas: Area[] }): JSX.Element {
  const chosen = query.value.get("area") ?? "";
  const rows: Row[] = areas.flatMap((a) => a.findings.map((f) => ({ ...f, area: a.name })))
    .filter((f) => chosen === "" || f.area === chosen)
    .sort((a, b) => b.at.localeCompare(a.at));
  if (areas.length === 0) {
    return (
      <EmptyState icon={Retry} title="No sweep has run yet">
        Analyzers sweep every minute by default (ASSAY_SWEEP_EVERY). Start one with “Sweep now”.
      </EmptyState>
    );
  }
  return (
    <>
      {areas.flatMap((a) => a.stops.map((s) => (
        <Notice key={`${a.name} ${s.walk} ${s.found}`} tone="bad"><strong>{areaName(a.name)}</strong>: <Bdi text={s.reason} /></Notice>
      )))}
      <Table label="Last sweeps" columns={runColumns} rows={areas} rowKey={(a) => a.name} rowHeight={48} />
      <h2 class="section">Findings</h2>
      <div class="toolbar">
        <Choice
          label="Area"
          options={[{ key: "", label: "All" }, ...areas.map((a) => ({ key: a.name, label: areaName(a.name) }))]}
          chosen={chosen} choose={(area) => setQuery({ area })}
        />
      </div>
      {rows.length > 0
        ? <Table label="Findings" columns={findingColumns} rows={rows} rowKey={(f) => `${f.at} ${f.area} ${f.found} ${f.id}`} />
        : <EmptyState icon={Check} title="No findings">The newest 100 findings of each area are kept here.</EmptyState>}
    </>
  );
}
