import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf } from "./archive.js";

/** The list and the end of a zip archive with these names and sizes, behind some bytes of content. */
function archive(names: [name: string, size: number][], content = 100): Uint8Array {
  const parts: number[] = Array.from({ length: content }, () => 0);
  const putAll = (...numbers: [bytes: number, value: number][]): void => {
    for (const [bytes, value] of numbers) for (let i = 0; i < bytes; i++) parts.push(i < 4 ? value >>> 8 * i & 0xff : 0);
  };
  for (const [name, size] of names) {
    const text = new TextEncoder().encode(name);
    putAll([4, 0x02014b50], [4, 0], [2, 0x800], [14, 0], [4, size], [2, text.length], [2, 0], [2, 0], [12, 0]);
    parts.push(...text);
  }
  const length = parts.length - content;
  putAll([4, 0x06054b50], [4, 0], [2, names.length], [2, names.length], [4, length], [4, content], [2, 0]);
  return Uint8Array.from(parts);
}

const reader = (bytes: Uint8Array) => (from: number, to: number): Promise<ArrayBuffer> =>
  Promise.resolve(bytes.slice(from, to).buffer as ArrayBuffer);

test("the entries of an archive are read from its end", async () => {
  const bytes = archive([["docs/", 0], ["docs/ü.txt", 7]]);
  assert.deepEqual(await entriesOf(bytes.length, reader(bytes)), {
    total: 2, entries: [{ name: "docs/", size: 0, isFolder: true }, { name: "docs/ü.txt", size: 7, isFolder: false }],
  });
});

test("a list that is longer than the end is read, too", async () => {
  const names = Array.from({ length: 2000 }, (_, i): [string, number] => [`a long folder name/file ${i}`, i]), bytes = archive(names);
  const { entries, total } = await entriesOf(bytes.length, reader(bytes));
  assert.deepEqual([entries.length, total, entries.at(-1)?.size], [2000, 2000, 1999]);
});

test("other bytes are not an archive", async () => {
  for (const bytes of [new Uint8Array(0), new Uint8Array(1000), archive([["a", 1]]).slice(60)]) {
    const failed = await entriesOf(bytes.length, reader(bytes)).then(() => "", (error: unknown) => String(error));
    assert.ok(failed.startsWith("Error: The list of its files"), failed);
  }
});
