// Plots of the numbers of records: a histogram of one column, or two columns as points that open their records.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { setQuery } from "../router.js";
import { IconButton } from "../ui/button.js";
import { ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Close } from "../ui/icon.js";
import { Bdi, count, counted, visible } from "../ui/text.js";
import { type Axis, axisOf } from "./axis.js";
import { listed } from "./fields.js";
import { type Statistics, useStatistics } from "./summary.js";
import { linkToken, type Node, type RecordRow } from "./view.js";

const most = 1000, pageSize = 200; // records
const height = 300, start = 64, end = 36, edge = 16; // px: of the picture, and its margins

interface Point { record: number; name: string; x: number; y: number }

export default function Plot({ node, numeric, x, y, filter, sort }: {
  node: Node; numeric: string[]; x: string; y: string; filter: string; sort: string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null), [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) => { if (entry) setWidth(Math.floor(entry.contentRect.width)); });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const choose = (label: string, value: string, none: string | undefined, set: (name: string) => void): JSX.Element => (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {numeric.map((name) => <option key={name} value={name}>{visible(name)}</option>)}
      </select>
    </label>
  );
  return (
    <section class="card plot-card" aria-label="Plot">
      <div class="card-head">
        {choose("Across", x, undefined, (name) => setQuery({ plot: listed([name, y].filter(Boolean)) }))}
        {choose("Up", y, "Number of records", (name) => setQuery({ plot: listed([x, name].filter(Boolean)) }))}
        <IconButton icon={Close} label="Close the plot" onClick={() => setQuery({ plot: "" })} />
      </div>
      <div ref={box}>
        {width > 0 && (y
          ? <Scatter key={JSON.stringify([x, y, filter, sort])} node={node} x={x} y={y} filter={filter} sort={sort} width={width} />
          : <Histogram node={node} x={x} filter={filter} width={width} />)}
      </div>
    </section>
  );
}

const short = (value: number): string => Number(value.toPrecision(6)).toLocaleString(navigator.languages, { maximumSignificantDigits: 6 });

function Histogram({ node, x, filter, width }: { node: Node; x: string; filter: string; width: number }): JSX.Element {
  const statistics: Statistics | undefined = useStatistics(node.id, filter, listed([x])).get(x), { histogram } = statistics ?? {};
  if (!statistics) return <Loading what="the plot"><Skeleton height={height} /></Loading>;
  const from = Number(histogram?.from), wide = (Number(histogram?.to) - from) / (histogram?.counts.length ?? 1);
  const bars = (histogram?.counts ?? []).map((n, i) => ({ n, from: from + i * wide, to: from + (i + 1) * wide }));
  if (bars.length === 0) return <p class="soft">No record has a number in this column.</p>;
  const across = axisOf(bars.flatMap((b) => [b.from, b.to]), start, width - edge);
  const up = axisOf([0, ...bars.map((b) => b.n)], height - end, 8);
  return (
    <>
      <Drawn width={width} label={`Histogram of ${visible(x)}, ${counted(statistics.count, "record")}`} across={across} up={up} x={x}>
        {bars.map((b) => (
          <rect
            key={b.from} x={across.at(b.from)} y={up.at(b.n)} width={Math.max(1, across.at(b.to) - across.at(b.from) - 1)}
            height={up.at(0) - up.at(b.n)}
          >
            <title>{`${short(b.from)} – ${short(b.to)}: ${count(b.n)}`}</title>
          </rect>
        ))}
      </Drawn>
      <Numbers heads={[x, "Records"]} rows={bars.map((b) => ({ key: b.from, cells: [`${short(b.from)} – ${short(b.to)}`, count(b.n)] }))} />
    </>
  );
}

/** Reads the numbers of the first records that the table shows. */
async function read(node: Node, names: string[], filter: string, sort: string): Promise<{ records: RecordRow[]; more: boolean }> {
  const records: RecordRow[] = [];
  for (let cursor: string | undefined; ;) {
    const query = {
      limit: pageSize, fields: listed(names), ...linkToken(), ...cursor ? { cursor } : {},
      ...filter ? { filter } : {}, ...sort ? { sort } : {},
    };
    const page = await api.GET("/v1/library/files/{id}/records", { params: { path: { id: node.id }, query } }).then(data);
    records.push(...page.records);
    cursor = page.nextCursor;
    if (!cursor || records.length >= most) return { records, more: cursor !== undefined };
  }
}

function numberOf(r: RecordRow, name: string): number {
  const value = r.fields[name] ?? r.properties[name];
  return value === undefined || value === null || value === "" ? NaN : Number(value);
}

function Scatter({ node, x, y, filter, sort, width }: {
  node: Node; x: string; y: string; filter: string; sort: string; width: number;
}): JSX.Element {
  const [found, setFound] = useState<{ records: RecordRow[]; more: boolean }>();
  const [error, setError] = useState(""), [turn, setTurn] = useState(0);
  useEffect(() => {
    let gone = false;
    setError("");
    read(node, [x, y], filter, sort).then(
      (records) => { if (!gone) setFound(records); }, (failed: unknown) => { if (!gone) setError(message(failed)); },
    );
    return () => { gone = true; };
  }, [turn]);
  if (error) return <ErrorState title="Could not load the plot" error={error} retry={() => setTurn(turn + 1)} />;
  if (!found) return <Loading what="the plot"><Skeleton height={height} /></Loading>;
  const points: Point[] = found.records.map((r) => ({ record: r.index, name: r.name ?? "", x: numberOf(r, x), y: numberOf(r, y) }))
    .filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const across = axisOf(points.map((p) => p.x), start, width - edge), up = axisOf(points.map((p) => p.y), height - end, 8);
  const open = (p: Point): void => setQuery({ record: String(p.record) });
  const what = counted(points.length, "record");
  return (
    <>
      <Drawn width={width} label={`${visible(y)} by ${visible(x)}, ${what}`} across={across} up={up} x={x} y={y}>
        {points.map((p) => (
          <circle key={p.record} cx={across.at(p.x)} cy={up.at(p.y)} r="4" onClick={() => open(p)}>
            <title>{`${p.name ? visible(p.name) : `Record ${count(p.record + 1)}`}: ${short(p.x)}, ${short(p.y)}`}</title>
          </circle>
        ))}
      </Drawn>
      <p class="soft">{found.more && `The first ${count(found.records.length)} records: `}{what} with both numbers</p>
      <Numbers heads={["Record", x, y]} rows={points.map((p) => ({
        key: p.record, cells: [
          <button type="button" class="link" onClick={() => open(p)}>{p.name ? <Bdi text={p.name} /> : count(p.record + 1)}</button>,
          short(p.x), short(p.y),
        ],
      }))} />
    </>
  );
}

function Drawn({ width, label, across, up, x, y, children }: {
  width: number; label: string; across: Axis; up: Axis; x: string; y?: string; children: JSX.Element[];
}): JSX.Element {
  return (
    <svg class="plotted" width={width} height={height} role="img" aria-label={label}>
      {across.ticks.filter((_, i) => width >= 480 || i % 2 === 0).map((t) => (
        <text key={t} x={across.at(t)} y={height - end + 16} text-anchor="middle">{short(t)}</text>
      ))}
      {up.ticks.map((t) => (
        <g key={t}>
          <line x1={start} x2={width - edge} y1={up.at(t)} y2={up.at(t)} />
          <text x={start - 6} y={up.at(t) + 4} text-anchor="end">{short(t)}</text>
        </g>
      ))}
      <text class="of-axis" x={width - edge} y={height - 4} text-anchor="end">{visible(x)}</text>
      {y && <text class="of-axis" x="12" y="8" text-anchor="end" transform="rotate(-90 12 8)">{visible(y)}</text>}
      {children}
    </svg>
  );
}

/** The numbers of a plot, which are only rendered when they are shown. */
function Numbers({ heads, rows }: { heads: string[]; rows: { key: number; cells: (JSX.Element | string)[] }[] }): JSX.Element {
  const [shown, show] = useState(false);
  return (
    <details class="help" onToggle={(event) => show(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {shown && (
        <div class="plot-numbers" role="region" aria-label="Numbers of the plot" tabIndex={0}>
          <table class="grid">
            <thead><tr>{heads.map((h, i) => <th key={i} scope="col"><Bdi text={h} /></th>)}</tr></thead>
            <tbody>{rows.map((r) => <tr key={r.key}>{r.cells.map((c, i) => <td key={i}>{c}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </details>
  );
}
