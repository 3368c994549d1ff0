import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { File } from "./view.js";

const { newest, orderOf, sorted } = await import("./order.js");

const file = (fileName: string, size?: number): File => ({
  fileId: fileName, fileName, status: "COMPLETED", createdAt: "2026-11-30T12:00:00Z", updatedAt: "2026-11-30T12:00:00Z",
  ...size === undefined ? {} : { size },
});
const names = (files: File[]): string => files.map((f) => f.fileName).join(" ");

test("files are sorted in both directions, and those without a value are last", () => {
  const files = [file("b", 9), file("none"), file("a10", 100), file("a9", 10)];
  assert.equal(names(sorted(files, "size")), "b a9 a10 none");
  assert.equal(names(sorted(files, "-size")), "a10 a9 b none");
  assert.equal(names(sorted(files, "name")), "a9 a10 b none");
});

test("the newest are first without a known order in the address", () => {
  assert.equal(orderOf(null), newest);
  assert.equal(orderOf("-colour"), newest);
  assert.equal(orderOf("constructor"), newest);
  assert.equal(orderOf("-words"), "-words");
  const files = [file("b", 1), file("a", 2)];
  assert.equal(sorted(files, newest), files);
});
