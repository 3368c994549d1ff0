// The items that the page shows: a time window and filters, which are stored in the address.
import { query, setQuery } from "../router.js";
import { sentiments, type Sentiment, sourceTypes, type SourceType } from "./view.js";

export const windows = [
  { key: "1", label: "1 h" },
  { key: "6", label: "6 h" },
  { key: "24", label: "24 h" },
  { key: "72", label: "3 days" },
  { key: "168", label: "7 days" },
] as const;

/** The retention of the dashboard in hours. */
export const maxHours = 168;

const minute = 60_000, hour = 60 * minute; // ms

export interface Selection {
  /** The length of a window that ends now; undefined if from and to are set. */
  hours: number | undefined;
  from: Date | undefined;
  to: Date | undefined;
  sourceType: SourceType | undefined;
  sentiment: Sentiment | undefined;
  tag: string;
}

/** Reads the selection from the address. Invalid values are ignored. */
export function selection(): Selection {
  const q = query.value;
  const from = time(q.get("from")), to = time(q.get("to"));
  const custom = from !== undefined && to !== undefined && from < to;
  const hours = windows.find((w) => w.key === q.get("hours"))?.key ?? "24";
  return {
    hours: custom ? undefined : Number(hours), from: custom ? from : undefined, to: custom ? to : undefined,
    sourceType: sourceTypes.find((s) => s.key === q.get("sourceType"))?.key,
    sentiment: sentiments.find((s) => s.key === q.get("sentiment"))?.key,
    tag: q.get("tag") ?? "",
  };
}

function time(text: string | null): Date | undefined {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? undefined : wholeMinute(at.getTime());
}

function wholeMinute(ms: number): Date {
  return new Date(Math.floor(ms / minute) * minute);
}

export interface Parameters {
  hours?: number;
  from?: string;
  to?: string;
  sourceType?: SourceType;
  sentiment?: Sentiment;
  tag?: string;
}

function filters(s: Selection): Parameters {
  return { ...s.sourceType && { sourceType: s.sourceType }, ...s.sentiment && { sentiment: s.sentiment }, ...s.tag && { tag: s.tag } };
}

/** Query parameters of the calls that read the feed. */
export function parameters(s: Selection): Parameters {
  if (s.from && s.to) return { from: s.from.toISOString(), to: s.to.toISOString(), ...filters(s) };
  return { hours: s.hours ?? 24, ...filters(s) };
}

/** The parameters of the previous window of the same length; undefined if it begins before the retention of the dashboard. */
export function before(s: Selection, now = Date.now()): Parameters | undefined {
  const [from, to] = bounds(s, now), length = to.getTime() - from.getTime();
  const start = wholeMinute(from.getTime() - length);
  if (start.getTime() < now - maxHours * hour + minute) return undefined;
  return { from: start.toISOString(), to: from.toISOString(), ...filters(s) };
}

/** The first minute of the window, and its end. */
export function bounds(s: Selection, now = Date.now()): [Date, Date] {
  if (s.from && s.to) return [s.from, s.to];
  return [wholeMinute(now - (s.hours ?? 24) * hour), new Date(now)];
}

export type Size = "1m" | "5m" | "1h" | "1d";
export const sizes: Record<Size, number> = { "1m": minute, "5m": 5 * minute, "1h": hour, "1d": 24 * hour }; // ms

/** The bucket size for a chart of the window. */
export function bucketOf(s: Selection): Size {
  const [from, to] = bounds(s), hours = (to.getTime() - from.getTime()) / hour;
  if (hours <= 1) return "1m";
  if (hours <= 6) return "5m";
  return hours <= 72 ? "1h" : "1d";
}

/** Zooms to the time range of a bar. */
export function zoom(start: Date, size: Size, now = Date.now()): void {
  const from = Math.max(start.getTime(), now - maxHours * hour + minute), to = start.getTime() + sizes[size];
  setQuery({ from: wholeMinute(from).toISOString(), to: new Date(to).toISOString(), hours: "" });
}

/** Whether any filter other than the time range is set. */
export function filtered(s: Selection): boolean {
  return Boolean(s.sourceType ?? s.sentiment) || s.tag !== "";
}

export function clear(): void {
  setQuery({ sourceType: "", sentiment: "", tag: "", from: "", to: "" });
}
