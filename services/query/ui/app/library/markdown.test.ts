import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "./markdown.js";

test("blocks of Markdown are found", () => {
  assert.deepEqual(parse("# Title #\n\nOne\ntwo\n\n---\n> quoted\n"), [
    { kind: "heading", level: 1, text: "Title" },
    { kind: "text", text: "One\ntwo" },
    { kind: "rule" },
    { kind: "quote", blocks: [{ kind: "text", text: "quoted" }] },
  ]);
  assert.deepEqual(parse("```js\nlet a;\n# no heading\n```\nafter"), [
    { kind: "code", text: "let a;\n# no heading" }, { kind: "text", text: "after" },
  ]);
  assert.deepEqual(parse("| a | b |\n|---|:-:|\n| 1 | x\\|y |"), [{ kind: "table", head: ["a", "b"], rows: [["1", "x|y"]] }]);
});

test("lists are nested by their indentation", () => {
  const text = (of: string): { kind: "text"; text: string } => ({ kind: "text", text: of });
  assert.deepEqual(parse("3. three\n4. four\n\nafter"), [
    { kind: "list", ordered: true, first: 3, items: [[text("three")], [text("four")]] }, text("after"),
  ]);
  assert.deepEqual(parse("- a\n  - b\n- c"), [{
    kind: "list", ordered: false, first: 1,
    items: [[text("a"), { kind: "list", ordered: false, first: 1, items: [[text("b")]] }], [text("c")]],
  }]);
});

test("any text ends: fences and lists that are not closed, and deep quotes", () => {
  for (const text of ["```", "- ", "-\n", ">".repeat(500) + " x", "|\n|-|", "  - a\n - b", "\t", "1."]) {
    assert.ok(parse(text).length >= 0, text);
  }
});
