import type { JSX } from "preact";
import { data } from "../api/client.js";
import { Badge, ErrorState, Loading, Notice, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, count, counted, duration, Time } from "../ui/text.js";
import { areaName, dependencyName } from "./areas.js";
import { type Backups, backups, LastBackup } from "./backups.js";
import { api, type Schemas } from "./client.js";
import { usePolled } from "../ui/poll.js";
import { Outcomes } from "./sparkline.js";

type Status = Schemas["Report"];
type AreaStatus = Status["areas"][number];
type Dependency = Status["dependencies"][number];
type LastSweep = Status["sweeps"][number];

const every = 5000; // ms

interface Overview { status: Status; dependencies: Dependency[]; saved: Backups | undefined }

/** Reads the status and the readiness of this address. Behind a gateway, only the readiness includes the services. */
async function read(): Promise<Overview> {
  const [status, ready, saved] = await Promise.all([api.GET("/v1/status").then(data), readiness(), backups()]);
  const named = new Set(status.dependencies.map((d) => d.name));
  return { status, saved, dependencies: [...status.dependencies, ...ready.filter((d) => !named.has(d.name))] };
}

async function readiness(): Promise<Dependency[]> {
  const response = await fetch("/readyz");
  const { checks, millis } = await response.json() as { checks: Record<string, string>; millis: Record<string, number> };
  return Object.entries(checks).map(([name, detail]) => ({
    name, ok: detail === "ok", millis: millis[name] ?? 0, ...detail === "ok" ? {} : { detail },
  }));
}

const secondsSince = (iso: string, now: string): number => (new Date(now).getTime() - new Date(iso).getTime()) / 1000;
const sum = (area: AreaStatus, of: "completed" | "failed" | "accepted"): number => area.minutes.reduce((n, m) => n + m[of], 0);

/** The rate of the last five whole minutes. */
function rate(area: AreaStatus): number {
  return area.minutes.slice(-6, -1).reduce((n, m) => n + m.completed + m.failed, 0) / 5;
}

export default function Overview(): JSX.Element {
  const { value, error, again } = usePolled(read, every);
  const content = (): JSX.Element => {
    if (value) return <Shown {...value} />;
    if (error) return <ErrorState title="Could not load the status" error={error} retry={() => void again()} />;
    return <Loading what="the status"><Skeleton rows={1} height={96} /><Skeleton rows={5} height={63} /></Loading>;
  };
  return (
    <Page
      title="Overview"
      lead={value
        ? <>As of <Time iso={value.status.at} exact />. Updated every 5 seconds.</>
        : "Backlog, outcomes and the health of the backends."}
    >
      {value && error && <RetryNotice error={error} retry={() => void again()} />}
      {content()}
    </Page>
  );
}

function Shown({ status, dependencies, saved }: Overview): JSX.Element {
  const waiting = status.areas.reduce((n, a) => n + a.waiting, 0), failed = status.areas.reduce((n, a) => n + sum(a, "failed"), 0);
  const oldest = status.areas.map((a) => a.oldest).filter((o) => o !== undefined).sort()[0];
  const dead = Object.values(status.deadLetters).reduce((n, m) => n + m, 0);
  const perMinute = status.areas.reduce((n, a) => n + rate(a), 0);
  const down = dependencies.filter((d) => !d.ok);
  return (
    <>
      {down.map((d) => <Notice key={d.name} tone="bad">{dependencyName(d.name)} does not respond: {d.detail}</Notice>)}
      {status.problems.map((problem) => <Notice key={problem} tone="warn">{problem}</Notice>)}
      <dl class="numbers">
        <div><dt>Waiting</dt><dd>{count(waiting)}</dd></div>
        <div><dt>Oldest work</dt><dd>{oldest === undefined ? "–" : duration(secondsSince(oldest, status.at))}</dd></div>
        <div><dt>Finished per minute</dt><dd>{perMinute < 10 ? perMinute.toFixed(1) : count(Math.round(perMinute))}</dd></div>
        <div><dt>Failed in the last hour</dt><dd>{count(failed)}</dd></div>
        <div><dt>Dead letters</dt><dd><a href="/operations/dead">{count(dead)}</a></dd></div>
      </dl>
      <h2 class="section">Areas</h2>
      <Table label="Areas" columns={areaColumns(status.at)} rows={status.areas} rowKey={(a) => a.name} rowHeight={64} />
      <p class="list-end">
        Items of the last hour. Accepted items are those that completed or failed and,
        since <Time iso={status.since} />, the growth of the waiting ones.
      </p>
      <div class="columns">
        <section>
          <h2 class="section">Dependencies</h2>
          <Table label="Dependencies" columns={dependencyColumns} rows={dependencies} rowKey={(d) => d.name} rowHeight={48} />
        </section>
        <section>
          <h2 class="section"><a href="/operations/sweeps">Last sweeps</a></h2>
          {status.sweeps.length > 0
            ? <Table label="Last sweeps" columns={sweepColumns} rows={status.sweeps} rowKey={(s) => s.area} rowHeight={48} />
            : <p class="card soft">No sweep has run yet. Analyzers sweep every minute by default.</p>}
        </section>
      </div>
      {saved && <LastBackup of={saved} />}
    </>
  );
}

function areaColumns(now: string): Column<AreaStatus>[] {
  return [
    { key: "area", label: "Area", width: "minmax(7rem, 1fr)", cell: (a) => (
      <>
        <strong>{areaName(a.name)}</strong>
        <span class="sub narrow-only">{a.waiting === 0 ? "nothing waiting" : `${count(a.waiting)} waiting`}</span>
      </>
    ) },
    { key: "waiting", label: "Waiting", width: "6rem", align: "end", wide: true, cell: (a) => count(a.waiting) },
    {
      key: "oldest", label: "Oldest", width: "8rem", align: "end", wide: true,
      cell: (a) => a.oldest === undefined ? "–" : duration(secondsSince(a.oldest, now)),
    },
    {
      key: "spark", label: "Last hour", width: "minmax(90px, 200px)",
      cell: (a) => <Outcomes minutes={a.minutes} area={areaName(a.name)} />,
    },
    { key: "accepted", label: "Accepted", width: "6rem", align: "end", wide: true, cell: (a) => count(sum(a, "accepted")) },
    { key: "completed", label: "Completed", width: "6rem", align: "end", wide: true, cell: (a) => count(sum(a, "completed")) },
    { key: "failed", label: "Failed", width: "4rem", align: "end", cell: (a) => {
      const n = sum(a, "failed");
      return n > 0 ? <span class="bad">{count(n)}</span> : "0";
    } },
  ];
}

const dependencyColumns: Column<Dependency>[] = [
  { key: "name", label: "Name", width: "minmax(0, 1fr)", cell: (d) => <>
    <strong>{dependencyName(d.name)}</strong>
    {d.detail !== undefined && <span class="sub bad clip"><Bdi text={d.detail} clip /></span>}
  </> },
  {
    key: "state", label: "State", width: "8.5rem",
    cell: (d) => d.ok ? <Badge tone="good">Responds</Badge> : <Badge tone="bad">Unavailable</Badge>,
  },
  { key: "latency", label: "Latency", width: "5rem", align: "end", cell: (d) => `${count(d.millis)} ms` },
];

const sweepColumns: Column<LastSweep>[] = [
  { key: "area", label: "Area", width: "minmax(0, 1fr)", cell: (s) => <strong>{areaName(s.area)}</strong> },
  { key: "at", label: "When", width: "6rem", cell: (s) => <Time iso={s.at} /> },
  { key: "found", label: "Found", width: "9rem", align: "end", cell: (s) => (
    s.error !== undefined
      ? <Badge tone="bad">Stopped</Badge>
      : s.failed > 0 ? <Badge tone="warn">{counted(s.failed, "left", "left")}</Badge>
      : s.found > 0 ? counted(s.repaired, "repaired", "repaired")
      : <span class="soft">nothing</span>
  ) },
];
