// The items that the page shows: a time window and filters, which are stored in the address.
import { query, setQuery } from "../router.js";
import { sentiments, type Sentiment, sourceTypes, type SourceType } from "./view.js";

export const windows = [
  { key: "1", label: "1 h" },
  { key: "6", label: "6 h" },
  { key: "24", label: "24 h" },
  { key: "72", label: "3 days" },
  { key: "168", label: "7 days" },
  { key: "720", label: "30 days" },
] as const;

/** How far lists reach back, and totals and charts by the minute. */
export const listHours = 168;
/** How far totals and charts by the hour reach back. */
export const maxHours = 400 * 24;

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

function wholeHour(ms: number): Date {
  return new Date(Math.floor(ms / hour) * hour);
}

/** Whether the window begins before the first item that can be listed. */
export function expired(s: Selection, now = Date.now()): boolean {
  return s.from ? s.from.getTime() < now - listHours * hour : (s.hours ?? 24) > listHours;
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
  const [from, to] = bounds(s);
  if (s.from && s.to) return { from: from.toISOString(), to: to.toISOString(), ...filters(s) };
  return { ...expired(s) ? { from: from.toISOString() } : { hours: s.hours ?? 24 }, ...filters(s) };
}

/** The first minute of the window, and its end. A window that begins before the listed items consists of whole hours. */
export function bounds(s: Selection, now = Date.now()): [Date, Date] {
  const whole = expired(s, now) ? wholeHour : wholeMinute;
  if (s.from && s.to) return [whole(s.from.getTime()), whole(s.to.getTime())];
  return [whole(now - (s.hours ?? 24) * hour), new Date(now)];
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
