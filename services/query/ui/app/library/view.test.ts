import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSteps } from "./view.js";

test("a reason is shown without the names of the steps", () => {
  for (const [reason, want] of [
    ["text: the document is not a PDF, or is damaged", "The document is not a PDF, or is damaged"],
    ["thumbnails: out of time; text: the font is missing", "Out of time; the font is missing"],
    ["chunk/00012: the row has 3 cells", "The row has 3 cells"],
    ["the column text: is empty", "The column text: is empty"],
    ["", ""],
  ]) assert.equal(withoutSteps(reason ?? ""), want);
});
