// The items of a selection as a CSV file, which is created in the browser.
import { api, data } from "../api/client.js";
import { type Parameters } from "./selection.js";
import type { Item } from "./view.js";

/** The approximate maximum number of items in one file. */
const maxRows = 20_000;

const columns: [string, (item: Item) => string][] = [
  ["sourceId", (i) => i.sourceId], ["sourceType", (i) => i.sourceType],
  ["ingestedAt", (i) => i.ingestedAt], ["publishedAt", (i) => i.publishedAt ?? ""],
  ["sentiment", (i) => i.sentiment], ["score", (i) => String(i.score)],
  ["compound", (i) => String(i.compound)], ["language", (i) => i.language ?? ""],
  ["tags", (i) => i.matchedTags.join(" ")], ["url", (i) => i.sourceUrl ?? ""], ["text", (i) => i.textSnippet],
];

/**
 * Quotes a field according to RFC 4180. Text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe,
 * as in exports of records.
 */
export function field(text: string): string {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const safe = /^[-=+@\t\r\n＝＋－＠]/.test(text) && !number ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reads the items and saves them. Resolves to the number of items in the file, and whether there are more. */
export async function saveCSV(parameters: Parameters): Promise<{ rows: number; more: boolean }> {
  const lines = [columns.map(([name]) => name).join(",")];
  let cursor: string | undefined;
  do {
    const page = await api.GET("/v1/feed/items", {
      params: { query: { ...parameters, limit: 1000, ...cursor ? { cursor } : {} } },
    }).then(data);
    for (const item of page.items) lines.push(columns.map(([, of]) => field(of(item))).join(","));
    cursor = page.nextCursor;
  } while (cursor && lines.length <= maxRows);
  const url = URL.createObjectURL(new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `feed-${new Date().toISOString().slice(0, 16).replace(":", "")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return { rows: lines.length - 1, more: cursor !== undefined };
}
