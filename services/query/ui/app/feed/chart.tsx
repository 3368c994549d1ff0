// The items of a window by time and sentiment: stacked bars, and the same numbers as a table.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "../shell/theme.js";
import { Button } from "../ui/button.js";
import { count } from "../ui/text.js";
import { sizes, type Size } from "./selection.js";
import { type Bucket, sentiments } from "./view.js";

const height = 240; // px
const locale = navigator.languages;
const labels: Record<Size, Intl.DateTimeFormat> = {
  "1m": new Intl.DateTimeFormat(locale, { timeStyle: "short" }),
  "5m": new Intl.DateTimeFormat(locale, { timeStyle: "short" }),
  "1h": new Intl.DateTimeFormat(locale, { weekday: "short", hour: "numeric", minute: "2-digit" }),
  "1d": new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }),
};

export interface Column {
  start: Date;
  counts: number[]; // in the order of sentiments
  total: number;
}

/** Returns one column for each bucket of the window. The API omits buckets without items. */
export function columnsOf(buckets: Bucket[], [from, to]: [Date, Date], size: Size): Column[] {
  const step = sizes[size], found = new Map(buckets.map((b) => [new Date(b.start).getTime(), b]));
  const columns: Column[] = [];
  for (let at = Math.floor(from.getTime() / step) * step; at < to.getTime(); at += step) {
    const bucket = found.get(at), counts = sentiments.map((s) => bucket?.[s.key] ?? 0);
    columns.push({ start: new Date(at), counts, total: counts.reduce((a, b) => a + b, 0) });
  }
  return columns;
}

export function Chart({ columns, size, zoom }: { columns: Column[]; size: Size; zoom: (start: Date) => void }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), chart = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number>();
  const latest = useRef({ columns, zoom });
  latest.current = { columns, zoom };
  const dark = useDark();

  useEffect(() => {
    if (!box.current) return;
    const made = draw(box.current, size, dataOf(latest.current.columns), setAt, () => {
      const column = made.cursor.idx === null || made.cursor.idx === undefined ? undefined : latest.current.columns[made.cursor.idx];
      if (column) latest.current.zoom(column.start);
    });
    chart.current = made;
    const watch = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) made.setSize({ width: entry.contentRect.width, height });
    });
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [size, dark, theme.value]);
  useEffect(() => chart.current?.setData(dataOf(columns)), [columns]);

  const shown = at === undefined ? undefined : columns[at];
  return (
    <>
      <p class="legend" aria-hidden="true">
        {sentiments.map((s, i) => (
          <span key={s.key}><span class={`key ${s.key}`} />{s.label} {shown && <b>{count(shown.counts[i] ?? 0)}</b>}</span>
        ))}
        <span class="soft">{shown ? labels[size].format(shown.start) : size === "1m" ? "" : "Click a bar to zoom in"}</span>
      </p>
      <div ref={box} class="plot" style={{ height: `${height}px` }} aria-hidden="true" />
    </>
  );
}

/** The numbers of the chart. Its buttons zoom in, like a click on a bar. */
export function ChartTable({ columns, size, zoom }: { columns: Column[]; size: Size; zoom: (start: Date) => void }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Items by time">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {sentiments.map((s) => <th key={s.key} scope="col" class="end">{s.label}</th>)}
            <th scope="col" class="end">All</th>
          </tr>
        </thead>
        <tbody>
          {columns.filter((c) => c.total > 0).reverse().map((c) => (
            <tr key={c.start.getTime()}>
              <th scope="row">
                {size === "1m"
                  ? labels[size].format(c.start)
                  : <Button kind="quiet" onClick={() => zoom(c.start)}>{labels[size].format(c.start)}</Button>}
              </th>
              {c.counts.map((n, i) => <td key={sentiments[i]?.key} class="end">{count(n)}</td>)}
              <td class="end">{count(c.total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useDark(): boolean {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const [is, set] = useState(dark.matches);
  useEffect(() => {
    const changed = (): void => set(dark.matches);
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);
  return is;
}

// Bars are stacked by drawing larger sums first: all items, then all without the last sentiment, and so on.
function dataOf(columns: Column[]): uPlot.AlignedData {
  const sums = sentiments.map((_, i) => columns.map((c) => c.counts.slice(0, i + 1).reduce((a, b) => a + b, 0)));
  return [columns.map((c) => c.start.getTime() / 1000), ...sums.reverse()];
}

function draw(box: HTMLElement, size: Size, data: uPlot.AlignedData, hover: (at: number | undefined) => void, click: () => void): uPlot {
  const style = getComputedStyle(document.documentElement), color = (name: string): string => style.getPropertyValue(name).trim();
  const half = sizes[size] / 2000; // s
  const axis: uPlot.Axis = {
    stroke: color("--soft"), font: "12px " + color("--font"), grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.82, 56], radius: [0.15, 0] });
  return new uPlot({
    width: box.clientWidth, height, padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: {
      x: false, y: false, drag: { x: false, y: false, setScale: false }, points: { show: false },
      bind: { click: () => (event: MouseEvent) => { if (event.button === 0) click(); return null; } },
    },
    scales: {
      x: { time: true, range: (_, min, max) => [min - half, max + half] },
      y: { range: (_, _min, max) => [0, Math.max(max, 4)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 32, space: 72, values: (_, splits) => splits.map((s) => tick(new Date(s * 1000), size)) },
      {
        ...axis, size: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000],
        values: (_, splits) => splits.map((n) => count(n)),
      },
    ],
    series: [
      {},
      ...[...sentiments].reverse().map((s) => ({
        fill: color(s.color), stroke: color(s.color), width: 0, points: { show: false }, ...bars ? { paths: bars } : {},
      })),
    ],
    hooks: { setCursor: [(u) => hover(u.cursor.idx ?? undefined)] },
  }, data, box);
}

const hours = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const days = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric" });
const utcDays = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: "UTC" });

function tick(at: Date, size: Size): string {
  if (size === "1d") return utcDays.format(at);
  return at.getHours() === 0 && at.getMinutes() === 0 ? days.format(at) : hours.format(at);
}
