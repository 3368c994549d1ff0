import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { toggled } from "./tagchips.js";

test("a filter is added to a query and removed from it", () => {
  assert.equal(toggled("", 'tag:"a b"'), 'tag:"a b"');
  assert.equal(toggled("budget -draft", 'tag:"a"'), 'budget -draft tag:"a"');
  assert.equal(toggled('budget tag:"a" type:pdf', 'tag:"a"'), "budget type:pdf");
  assert.equal(toggled('tag:"a"', 'tag:"a"'), "");
});
