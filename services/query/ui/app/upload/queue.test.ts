import { FakeEventSource, settled } from "../test/browser.js";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import {
  accepted, add, clearEnded, continueWith, counts, type Item, items, listed, pause, remove, restore, resume, retry,
} from "./queue.js";
import { type Receiver, receivers } from "./receivers.js";
import type { Sending, Sent, Target } from "./target.js";

/** A transfer that the test ends. */
interface Started {
  sending: Sending;
  done: (sent: Sent) => void;
  failed: (error: Error) => void;
  calls: string[];
}

/** An area that accepts files, and its transfers in the order in which they started. */
class Area {
  readonly transfers: Started[] = [];
  readonly checked: string[] = [];
  readonly receiver: Receiver;

  constructor(target: Partial<Target> = {}) {
    this.receiver = {
      name: "test", label: "Files", nav: [], cards: [], routes: [],
      upload: {
        label: "Test", accepts: () => true,
        check: (id) => {
          this.checked.push(id);
          return Promise.resolve(undefined);
        },
        start: (sending) => {
          const calls: string[] = [];
          const promise = new Promise<Sent>((done, failed) => this.transfers.push({ sending, done, failed, calls }));
          return {
            promise,
            pause: () => calls.push("pause"), resume: () => calls.push("resume"), cancel: () => calls.push("cancel"),
          };
        },
        ...target,
      },
    };
  }

  /** Adds files with these names, such as "a b", and returns their items. */
  async add(names: string, options?: unknown): Promise<Item[]> {
    const before = items.value.length;
    add(this.receiver, names.split(" ").map((name) => ({ file: new File(["content"], name), folders: [] })), options);
    await settled();
    return items.value.slice(0, items.value.length - before);
  }

  /** The names of the files whose transfers have started. */
  get started(): string {
    return this.transfers.map((t) => t.sending.file.name).join(" ");
  }

  /** Ends the transfer of a file: the server has accepted it with this id. */
  async accept(name: string, id = name): Promise<void> {
    this.last(name).done({ id, href: `/test/${id}` });
    await settled();
  }

  async fail(name: string, text: string): Promise<void> {
    this.last(name).failed(new Error(text));
    await settled();
  }

  last(name: string): Started {
    const found = this.transfers.findLast((t) => t.sending.file.name === name);
    assert.ok(found, `a transfer of ${name}`);
    return found;
  }
}

const states = (of: Item[]): string => of.map((item) => item.state.value).join(" ");

/** Sends an outcome of an item, as the server does. */
function outcome(kind: "completed" | "failed", id: string, more: { area?: string; errorMessage?: string } = {}): void {
  for (const source of FakeEventSource.open) source.send(kind, { area: "test", id, ...more });
}

/** Opens the stream of outcomes; without it, the queue reads accepted items itself. */
function connect(): void {
  for (const source of FakeEventSource.open) source.onopen();
}

afterEach(async () => {
  for (const item of items.value) remove(item);
  await settled();
});

test("three files are sent at a time, in their order", async () => {
  const area = new Area(), added = await area.add("a b c d e");
  assert.equal(area.started, "a b c");
  assert.equal(states(added), "sending sending sending queued queued");
  await area.accept("b");
  assert.equal(area.started, "a b c d");
  await area.fail("a", "refused");
  assert.equal(area.started, "a b c d e");
  await area.accept("c");
  assert.equal(states(added), "error processing processing sending sending");
});

test("the limit applies to all areas together", async () => {
  const one = new Area(), other = new Area();
  await one.add("a b");
  await other.add("c d");
  assert.deepEqual([one.started, other.started], ["a b", "c"]);
  await one.accept("a");
  assert.equal(other.started, "c d");
});

test("new files are listed first", async () => {
  const area = new Area();
  await area.add("a b");
  await area.add("c");
  assert.equal(items.value.map((item) => item.file.name).join(" "), "c a b");
});

test("the progress of all files is counted", async () => {
  const area = new Area(), [a] = await area.add("a b");
  assert.deepEqual([counts.value.active, counts.value.sent, counts.value.total], [2, 0, 14]);
  area.last("a").sending.onProgress({ sent: 3, total: 7, bytesPerSecond: 2, secondsLeft: 2 });
  assert.equal(a?.progress.value.sent, 3);
  assert.deepEqual([counts.value.sent, counts.value.total], [3, 14]);
  await area.accept("a");
  assert.deepEqual([counts.value.active, counts.value.processing, counts.value.sent], [1, 1, 7]);
  await area.fail("b", "refused");
  assert.deepEqual([counts.value.active, counts.value.error, counts.value.ended], [0, 1, 1]);
});

test("a file that the server accepted is announced, with its page", async () => {
  const area = new Area(), [a] = await area.add("a");
  await area.accept("a", "7");
  assert.deepEqual(accepted.value, { area: "test", id: "7" });
  assert.deepEqual(a?.sent.value, { id: "7", href: "/test/7" });
});

test("a failed file shows the error, and is sent again with the same key", async () => {
  const area = new Area(), [a] = await area.add("a");
  assert.ok(a);
  await area.fail("a", "The file is too large.");
  assert.deepEqual([a.state.value, a.text.value], ["error", "The file is too large."]);
  retry(a);
  await settled();
  assert.deepEqual([a.state.value, a.text.value, area.started], ["sending", "", "a a"]);
  const [first, second] = area.transfers;
  assert.equal(second?.sending.idempotencyKey, first?.sending.idempotencyKey);
  await area.accept("a");
  assert.equal(a.state.value, "processing");
  retry(a);
  await settled();
  assert.equal(area.started, "a a", "only a failed file is sent again");
});

test("every file has a key of its own", async () => {
  const area = new Area();
  await area.add("a b");
  const [a, b] = area.transfers;
  assert.ok(a?.sending.idempotencyKey);
  assert.ok(a.sending.idempotencyKey !== b?.sending.idempotencyKey);
});

test("a file that is retried waits for a free place", async () => {
  const area = new Area(), [a] = await area.add("a b c d");
  assert.ok(a);
  await area.fail("a", "refused");
  retry(a);
  await settled();
  assert.deepEqual([a.state.value, area.started], ["queued", "a b c d"]);
  pause(a);
  resume(a);
  assert.deepEqual([a.state.value, area.last("a").calls], ["queued", []], "the failed transfer does not continue");
  await area.accept("b");
  assert.deepEqual([a.state.value, area.started], ["sending", "a b c d a"]);
});

test("a batch begins once, with all its files, and again after it failed", async () => {
  const begun: string[] = [];
  let failing = true;
  const area = new Area({
    begin: (files, options) => {
      begun.push(`${files.map((f) => f.name).join(" ")}: ${String(options)}`);
      return failing ? Promise.reject(new Error("no place")) : Promise.resolve("the batch");
    },
  });
  const added = await area.add("a b", "a prompt");
  assert.deepEqual([begun, states(added), area.started], [["a b: a prompt"], "error error", ""]);
  assert.equal(added[0]?.text.value, "no place");
  failing = false;
  for (const item of added) retry(item);
  await settled();
  assert.equal(begun.length, 2);
  assert.deepEqual(area.transfers.map((t) => t.sending.batch), ["the batch", "the batch"]);
});

test("without begin, the options are the batch", async () => {
  const area = new Area();
  await area.add("a", "a folder");
  assert.equal(area.last("a").sending.batch, "a folder");
});

test("a canceled file frees its place and is no longer listed", async () => {
  const area = new Area(), [a, , , d] = await area.add("a b c d e");
  assert.ok(a && d);
  remove(d);
  remove(a);
  await settled();
  assert.deepEqual(area.last("a").calls, ["cancel"]);
  assert.equal(area.started, "a b c e", "d was removed before it started");
  assert.equal(items.value.map((item) => item.file.name).join(" "), "b c e");
  await area.fail("a", "The upload was canceled.");
  assert.equal(a.state.value, "sending", "its error is not shown");
});

test("a file that is canceled while its batch begins is not sent", async () => {
  let begin = (): void => { /* set below */ };
  const area = new Area({ begin: () => new Promise((done) => { begin = () => done("the batch"); }) });
  const [a] = await area.add("a b");
  assert.ok(a);
  remove(a);
  begin();
  await settled();
  assert.equal(area.started, "b");
});

test("a paused file frees its place and continues its transfer", async () => {
  const area = new Area(), [a] = await area.add("a b c d");
  assert.ok(a);
  pause(a);
  await settled();
  assert.deepEqual([a.state.value, area.last("a").calls, area.started], ["paused", ["pause"], "a b c d"]);
  resume(a);
  assert.deepEqual([a.state.value, area.last("a").calls, area.started], ["sending", ["pause", "resume"], "a b c d"]);
  await area.accept("a");
  assert.equal(a.state.value, "processing");
});

test("a file that is paused before it starts waits until it is resumed", async () => {
  const area = new Area(), [, , , d] = await area.add("a b c d");
  assert.ok(d);
  pause(d);
  await area.accept("a");
  assert.deepEqual([d.state.value, area.started], ["paused", "a b c"]);
  resume(d);
  await settled();
  assert.deepEqual([d.state.value, area.started], ["sending", "a b c d"]);
});

test("events end a file, also those that arrive before the response to the upload", async () => {
  const area = new Area({ summary: () => "12 words" }), added = await area.add("a b c");
  connect();
  await area.accept("a", "e1");
  outcome("completed", "e1", { area: "other" });
  assert.equal(added[0]?.state.value, "processing", "an item of another area");
  outcome("completed", "e1");
  assert.deepEqual([added[0]?.state.value, added[0]?.text.value], ["completed", "12 words"]);
  await area.accept("b", "e2");
  outcome("failed", "e2", { errorMessage: "Not a text." });
  assert.deepEqual([added[1]?.state.value, added[1]?.text.value], ["failed", "Not a text."]);
  outcome("completed", "e3");
  await area.accept("c", "e3");
  assert.equal(added[2]?.state.value, "completed");
});

test("when events may have been missed, the outcome is read", async () => {
  const area = new Area({ check: () => Promise.resolve({ ok: false, text: "Not a text." }) }), [a] = await area.add("a");
  assert.ok(a);
  connect();
  await area.accept("a", "r1");
  assert.equal(a.state.value, "processing");
  for (const source of FakeEventSource.open) source.send("resync");
  await settled();
  assert.deepEqual([a.state.value, a.text.value], ["failed", "Not a text."]);
});

test("while the connection is lost, the outcome is read after the upload", async () => {
  const area = new Area();
  await area.add("a b");
  connect();
  await area.accept("a", "l1");
  assert.deepEqual(area.checked, []);
  for (const source of FakeEventSource.open) source.onerror();
  await area.accept("b", "l2");
  assert.deepEqual(area.checked, ["l2"]);
});

test("an area can follow its items itself", async () => {
  const followed: string[] = [];
  let ended = (): void => { /* set below */ };
  const area = new Area({
    follow: (id, end) => {
      followed.push(id);
      ended = () => end({ ok: true, text: "all steps" });
      return () => followed.push("stop");
    },
  });
  const [a] = await area.add("a");
  assert.ok(a);
  await area.accept("a", "f1");
  outcome("failed", "f1");
  assert.equal(a.state.value, "processing", "events are not used");
  ended();
  assert.deepEqual([a.state.value, a.text.value, followed], ["completed", "all steps", ["f1", "stop"]]);
});

test("only uploads that have ended are cleared", async () => {
  const area = new Area();
  await area.add("a b c d");
  connect();
  await area.accept("a", "c1");
  outcome("completed", "c1");
  await area.fail("b", "refused");
  await area.accept("c", "c2");
  clearEnded();
  assert.equal(items.value.map((item) => `${item.file.name} ${item.state.value}`).join(", "), "c processing, d sending");
});

/** An upload of this area that an earlier page did not finish. */
const lost = (file: File, id?: string): Parameters<typeof restore>[0][0] => ({
  key: `key of ${file.name}`, page: "earlier", owner: "me", area: "test",
  name: file.name, size: file.size, lastModified: file.lastModified,
  folders: ["papers"], options: "the options", addedAt: Date.now(), ...id ? { id } : {},
});

test("an upload that an earlier page did not finish continues with the same key when its file is chosen again", async () => {
  const area = new Area(), file = new File(["content"], "large"), other = new File(["content"], "other");
  receivers.value = [area.receiver];
  restore([lost(file), lost(new File(["more content"], "large"))]);
  assert.equal(states(items.value), "lost lost");
  assert.equal(area.started, "", "its file is not known");
  assert.equal(counts.value.active, 0);
  assert.deepEqual(continueWith([{ file: other }, { file }]), [other]);
  await settled();
  assert.equal(states(items.value), "sending lost");
  const { sending } = area.last("large");
  const { idempotencyKey, folders, batch } = sending;
  assert.deepEqual([sending.file, idempotencyKey, folders, batch], [file, "key of large", ["papers"], "the options"]);
});

test("a file that is uploaded again in the usual way continues, too", async () => {
  const area = new Area(), file = new File(["content"], "large");
  receivers.value = [area.receiver];
  restore([lost(file)]);
  add(area.receiver, [{ file, folders: [] }], undefined);
  await settled();
  assert.equal(states(items.value), "sending");
  assert.equal(area.last("large").sending.idempotencyKey, "key of large");
});

test("discarding an upload that was not finished deletes what the server has reserved", async () => {
  const discarded: string[] = [];
  const area = new Area({ discard: (id) => Promise.resolve(discarded.push(id)) });
  receivers.value = [area.receiver];
  restore([lost(new File(["a"], "a"), "7"), lost(new File(["b"], "b"))]);
  for (const item of items.value) remove(item);
  await settled();
  assert.deepEqual(discarded, ["7"]);
});

test("uploads that failed are listed first", async () => {
  const area = new Area();
  await area.add("a b c");
  await area.fail("b", "refused");
  assert.equal(listed.value.map((item) => item.file.name).join(" "), "b a c");
});
