// The orders of the list of text files. The API lists the newest first; for another order, the page needs all files.
import type { File } from "./view.js";

export const newest = "-time";

const values = new Map<string, (f: File) => number | string | undefined>([
  ["name", (f) => f.fileName],
  ["size", (f) => f.size],
  ["words", (f) => f.counts?.totalWords],
  ["unique", (f) => f.counts?.uniqueWords],
  ["time", (f) => f.createdAt],
]);

/** Returns the order of an address, which is that of the API if the address has none. */
export const orderOf = (text: string | null): string => text !== null && values.has(text.replace(/^-/, "")) ? text : newest;

const names = new Intl.Collator(navigator.languages, { numeric: true });

/** Returns the files in an order. Files without a value are last. */
export function sorted(files: File[], order: string): File[] {
  const value = values.get(order.replace(/^-/, ""));
  if (order === newest || !value) return files;
  const sign = order.startsWith("-") ? -1 : 1;
  return files.toSorted((a, b) => {
    const x = value(a), y = value(b);
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return sign * (typeof x === "number" && typeof y === "number" ? x - y : names.compare(String(x), String(y)));
  });
}
