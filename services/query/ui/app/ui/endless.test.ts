import { runTimers, settled } from "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../api/client.js";
import { Endless, type Page } from "./endless.js";

interface Row {
  id: string;
  version?: number;
}

/** A list whose reads the test answers. */
class Reads {
  readonly list: Endless<Row>;
  /** The cursors of all reads so far. */
  readonly cursors: (string | undefined)[] = [];
  private answer: { done: (page: Page<Row>) => void; failed: (error: Error) => void } | undefined;

  constructor(latest?: (shown: Row, fresh: Row) => Row) {
    this.list = new Endless<Row>((cursor) => {
      assert.equal(this.answer, undefined, "one page is read at a time");
      this.cursors.push(cursor);
      return new Promise((done, failed) => { this.answer = { done, failed }; });
    }, (row) => row.id, latest);
  }

  /** Answers the read in progress with rows, such as "a b", and a cursor if more follow. */
  async page(ids: string, cursor?: string, version?: number): Promise<void> {
    const { answer } = this, rows = ids.split(" ").filter(Boolean).map((id): Row => version === undefined ? { id } : { id, version });
    assert.ok(answer, "a page is being read");
    this.answer = undefined;
    answer.done({ items: rows, cursor });
    await settled();
  }

  async fail(text: string, status = 400): Promise<void> {
    const { answer } = this;
    assert.ok(answer, "a page is being read");
    this.answer = undefined;
    answer.failed(new ApiError(text, status));
    await settled();
  }

  /** The ids of the list. */
  get shown(): string {
    return this.list.items.value.map((row) => row.id).join(" ");
  }
}

/** A list that shows two pages: a b, then c d, and has more. */
async function twoPages(latest?: (shown: Row, fresh: Row) => Row): Promise<Reads> {
  const reads = new Reads(latest);
  reads.list.refresh();
  await reads.page("a b", "after b", 1);
  reads.list.next();
  await reads.page("c d", "after d", 1);
  return reads;
}

test("pages are appended until there are no more", async () => {
  const reads = await twoPages();
  assert.equal(reads.shown, "a b c d");
  assert.equal(reads.list.more.value, true);
  reads.list.next();
  await reads.page("e");
  assert.equal(reads.shown, "a b c d e");
  assert.equal(reads.list.more.value, false);
  reads.list.next();
  await settled();
  assert.deepEqual(reads.cursors, [undefined, "after b", "after d"]);
});

test("a list begins when there are rows, or when there are none", async () => {
  const reads = new Reads();
  reads.list.next();
  assert.deepEqual(reads.cursors, [], "the first read is a reload");
  reads.list.refresh();
  assert.equal(reads.list.begun.value, false);
  await reads.page("", "after nothing");
  assert.equal(reads.list.begun.value, false, "the page was empty, but more follow");
  reads.list.next();
  await reads.page("");
  assert.deepEqual([reads.list.begun.value, reads.list.more.value, reads.shown], [true, false, ""]);
});

test("a row that moved to the next page is not shown twice", async () => {
  const reads = new Reads();
  reads.list.refresh();
  await reads.page("a b", "after b");
  reads.list.next();
  await reads.page("b c");
  assert.equal(reads.shown, "a b c");
});

test("a reload replaces the rows of the first page and keeps those below", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  assert.equal(reads.shown, "a b c d", "the rows remain until the page is read");
  await reads.page("new b", "after b");
  assert.equal(reads.shown, "new b c d");
  reads.list.next();
  assert.equal(reads.cursors.at(-1), "after d", "the list continues where it ended");
  await reads.page("e");
  assert.equal(reads.shown, "new b c d e");
});

test("a reload that reads everything removes the other rows", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  await reads.page("a b");
  assert.deepEqual([reads.shown, reads.list.more.value], ["a b", false]);
});

test("a row that moved to the first page is not shown twice", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  await reads.page("d a", "after a");
  assert.equal(reads.shown, "d a b c");
});

test("rows below the reloaded ones are read again when they are visible", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  await reads.page("a b", "again after b");
  reads.list.show({ id: "d" }, false);
  assert.equal(reads.cursors.at(-1), "again after b");
  await reads.page("c2 d", "again after d");
  assert.equal(reads.shown, "a b c2 d");
  const before = reads.cursors.length;
  reads.list.show({ id: "d" }, false);
  await settled();
  assert.equal(reads.cursors.length, before, "all rows are up to date");
});

test("an error keeps what is shown, and a retry repeats the read", async () => {
  const reads = await twoPages();
  reads.list.next();
  await reads.fail("no connection");
  assert.deepEqual([reads.list.error.value, reads.shown, reads.list.begun.value], ["no connection", "a b c d", true]);
  reads.list.next();
  await settled();
  assert.equal(reads.cursors.length, 3, "a failed list does not continue by itself");
  reads.list.retry();
  assert.equal(reads.cursors.at(-1), "after d");
  await reads.page("e");
  assert.deepEqual([reads.list.error.value, reads.shown], ["", "a b c d e"]);
});

test("a failed reload keeps what is shown, and the next one clears the error", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  await reads.fail("no connection");
  assert.deepEqual([reads.list.error.value, reads.shown], ["no connection", "a b c d"]);
  reads.list.next();
  reads.list.refresh();
  await reads.page("x b", "after b");
  assert.deepEqual([reads.list.error.value, reads.shown], ["", "x b c d"]);
  assert.equal(reads.cursors.length, 4, "what was requested while the list had an error is not read");
});

test("the first read can fail and be repeated", async () => {
  const reads = new Reads();
  reads.list.refresh();
  await reads.fail("no connection");
  assert.deepEqual([reads.list.begun.value, reads.list.error.value], [false, "no connection"]);
  reads.list.retry();
  await reads.page("a");
  assert.deepEqual([reads.list.begun.value, reads.list.error.value, reads.shown], [true, "", "a"]);
});

test("a read that failed because the server could not be reached is repeated by itself", async () => {
  const reads = await twoPages();
  reads.list.next();
  await reads.fail("overloaded", 503);
  assert.equal(runTimers(), 1);
  assert.deepEqual([reads.cursors.at(-1), reads.list.error.value], ["after d", "overloaded"], "the error is shown until it succeeds");
  await reads.fail("overloaded", 503);
  assert.equal(runTimers(), 1);
  await reads.page("e");
  assert.deepEqual([reads.list.error.value, reads.shown], ["", "a b c d e"]);
  reads.list.refresh();
  await reads.fail("invalid", 422);
  assert.equal(runTimers(), 0);
});

test("requests during a read are remembered, and the end is read before a reload", async () => {
  const reads = await twoPages();
  reads.list.next();
  reads.list.refresh();
  reads.list.refresh();
  reads.list.next();
  await reads.page("e", "after e");
  assert.equal(reads.cursors.at(-1), "after e");
  await reads.page("f", "after f");
  assert.equal(reads.cursors.at(-1), undefined);
  await reads.page("a b", "after b");
  assert.deepEqual([reads.shown, reads.cursors.length], ["a b c d e f", 5]);
});

test("repeated calls of refreshSoon cause one reload", async () => {
  const reads = await twoPages();
  reads.list.refreshSoon();
  reads.list.refreshSoon();
  assert.equal(reads.cursors.length, 2);
  assert.equal(runTimers(), 1);
  assert.equal(reads.cursors.length, 3);
  await reads.page("a b", "after b");
  reads.list.refreshSoon();
  assert.equal(runTimers(), 1);
  assert.equal(reads.cursors.length, 4);
});

test("a row that is removed during a read does not come back", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  reads.list.remove("b");
  assert.equal(reads.shown, "a c d");
  await reads.page("a b", "after b");
  assert.equal(reads.shown, "a c d");
  reads.list.refresh();
  await reads.page("a b", "after b");
  assert.equal(reads.shown, "a b c d", "it was restored");
});

test("after a row is removed, the rows below continue at the right place", async () => {
  const reads = await twoPages();
  reads.list.refresh();
  await reads.page("a b", "after b");
  reads.list.remove("a");
  reads.list.show({ id: "d" }, false);
  await reads.page("d", "after d");
  assert.equal(reads.shown, "b d", "c is gone");
});

test("the newer version of a row is shown", async () => {
  const reads = await twoPages((was, fresh) => (was.version ?? 0) > (fresh.version ?? 0) ? was : fresh);
  assert.equal(reads.list.change("a", (row) => ({ ...row, version: 3 })), true);
  assert.equal(reads.list.change("none", (row) => row), false);
  reads.list.refresh();
  await reads.page("a b", "after b", 2);
  assert.deepEqual(reads.list.items.value.map((row) => row.version), [3, 2, 1, 1]);
});
