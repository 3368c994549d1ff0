// Untrusted text, times, sizes and numbers.
import type { JSX } from "preact";

/** Untrusted text, such as a file name, isolated for direction so that it cannot reorder the surrounding text. */
export function Bdi({ text, clip }: { text: string; clip?: boolean }): JSX.Element {
  return <bdi dir="auto" class={clip ? "clip" : undefined} title={clip ? text : undefined}>{visible(text)}</bdi>;
}

// Characters that reorder or hide text and could make one name look like another.
const invisible = /[\u0000-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Replaces control characters and directional marks with �. */
export function visible(text: string): string {
  return text.replace(invisible, "\ufffd");
}

const locale = navigator.languages;
const full = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const year = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** A time in the viewer's locale, without the date if it is today, with the full time as tooltip. exact adds date and seconds. */
export function Time({ iso, exact: precise }: { iso: string; exact?: boolean }): JSX.Element {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return <span>–</span>;
  return <time dateTime={iso} title={full.format(at)}>{precise ? exact.format(at) : short(at)}</time>;
}

function short(at: Date): string {
  const now = new Date();
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return at.getFullYear() === now.getFullYear() ? `${day.format(at)}, ${clock.format(at)}` : year.format(at);
}

const whole = new Intl.NumberFormat(locale);
const scaled = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

export function count(n: number): string {
  return whole.format(n);
}

/** A count with its noun: 1 word, 2 words. */
export function counted(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A size such as 1.5 MB. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  for (; n >= 1000 && at < units.length - 1; at++) n /= 1000;
  return `${scaled.format(n)} ${units[at]}`;
}

/** A duration such as 2 min 5 s, from seconds. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}
