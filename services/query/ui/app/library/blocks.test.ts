import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "./blocks.js";

test("lines are paragraphs, and consecutive lines with tabs are a table", () => {
  assert.deepEqual(pagesOf("Report\n\nName\tDose\nAspirin\t500\tmg\nThe\tend", ""), [
    { heading: "", blocks: ["Report", [["Name", "Dose", ""], ["Aspirin", "500", "mg"], ["The", "end", ""]]] },
  ]);
  assert.deepEqual(pagesOf("Report\t7", ""), [{ heading: "", blocks: ["Report\t7"] }]);
});

test("form feeds separate slides, sheets and pages, which have headings", () => {
  assert.deepEqual(pagesOf("Plan\fEnd", "slide").map((p) => p.heading), ["Slide 1", "Slide 2"]);
  assert.deepEqual(pagesOf("Plan", "slide").map((p) => p.heading), ["Slide 1"]);
  assert.deepEqual(pagesOf("Doses\na\tb\n1\t2\fEmpty", "sheet"), [
    { heading: "Doses", blocks: [[["a", "b"], ["1", "2"]]] }, { heading: "Empty", blocks: [] },
  ]);
  assert.deepEqual(pagesOf("one\ftwo", undefined).map((p) => p.heading), ["Page 1", "Page 2"]);
});
