import assert from "node:assert/strict";
import { test } from "node:test";
import { rotation } from "./space.js";

const rounded = ({ x, y, z }: { x: number; y: number; z: number }): number[] => [x, y, z].map((n) => Math.round(n * 1000) / 1000 + 0);

test("positions are turned around the vertical axis and tilted around the horizontal one", () => {
  const front = { x: 0, y: 0, z: 1 }, right = { x: 1, y: 0, z: 0 };
  assert.deepEqual(rounded(rotation(0, 0)(front)), [0, 0, 1]);
  assert.deepEqual(rounded(rotation(Math.PI / 2, 0)(front)), [1, 0, 0]);
  assert.deepEqual(rounded(rotation(Math.PI / 2, 0)(right)), [0, 0, -1]);
  assert.deepEqual(rounded(rotation(0, Math.PI / 2)(front)), [0, 1, 0]); // down
});

test("distances do not change", () => {
  const { x, y, z } = rotation(1.1, -0.4)({ x: 3, y: 4, z: 12 });
  assert.equal(Math.round(Math.hypot(x, y, z) * 1000), 13_000);
});
