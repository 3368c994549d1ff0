import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf } from "./axis.js";

test("an axis has round values within the range", () => {
  for (const [values, want] of [
    [[0, 10], [0, 2, 4, 6, 8, 10]],
    [[-0.31, 0.52], [-0.2, 0, 0.2, 0.4]],
    [[1_020_000, 1_480_000], [1_100_000, 1_200_000, 1_300_000, 1_400_000]],
    [[7, 7], [4, 6, 8, 10]],
    [[0, 0], [-0.4, -0.2, 0, 0.2, 0.4]],
    [[], [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ] as const) assert.deepEqual(axisOf([...values], 0, 100).ticks, want);
});

test("the ends of the range are the ends of the axis", () => {
  const { at } = axisOf([2, 4], 300, 0);
  assert.deepEqual([at(2), at(3), at(4)], [300, 150, 0]);
});
