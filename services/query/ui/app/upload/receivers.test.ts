import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { areaOf, type Receiver, receivers, receiving } from "./receivers.js";
import type { Target } from "./target.js";

const area = (name: string, suits?: Target["suits"]): Receiver => ({
  name, label: name, nav: [], cards: [], routes: [],
  upload: {
    label: name, accepts: () => true, ...suits ? { suits } : {},
    start: () => { throw new Error("nothing is uploaded"); },
    check: () => Promise.resolve(undefined),
  },
});

test("a file goes to the first area that it suits, otherwise to the one for all other files", () => {
  const texts = area("texts", (file) => file.type === "text/plain"), notes = area("notes", (file) => file.name === "note.txt");
  const note = new File([""], "note.txt", { type: "text/plain" }), other = new File([""], "data.bin");
  receivers.value = [area("all"), texts, notes];
  assert.equal(areaOf(note)?.name, "texts");
  assert.equal(areaOf(other)?.name, "all");
  receivers.value = [texts, notes];
  assert.equal(areaOf(other), undefined);
});

test("areas without an upload accept no files", () => {
  const files = area("files");
  assert.deepEqual(receiving([{ name: "feed", label: "Feed", nav: [], cards: [], routes: [] }, files]), [files]);
});
