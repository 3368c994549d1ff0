import assert from "node:assert/strict";
import { test } from "node:test";
import { between, both, contains, equals } from "./conditions.js";

test("conditions are written as the filter reads them", () => {
  assert.equal(between("logP", "1", ""), "logP >= 1");
  assert.equal(between("Melting Point", "1.5", "20"), "\"Melting Point\" >= 1.5 and \"Melting Point\" <= 20");
  assert.equal(between("logP", "", ""), "");
  assert.equal(contains("not", "acid"), "\"not\" ~ \"acid\"");
  assert.equal(contains("name", ""), "");
  assert.equal(equals("name", "5\" tube"), "name = '5\" tube'");
});

test("a condition is added to a filter", () => {
  assert.equal(both("", "a > 1"), "a > 1");
  assert.equal(both("b = 2", "a > 1"), "b = 2 and a > 1");
  assert.equal(both("b = 2 or c", "a > 1"), "(b = 2 or c) and a > 1");
});
