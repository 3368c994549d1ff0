import "../test/browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { languageOf, tokens } from "./code.js";

const marked = (code: string, language: string): string =>
  tokens(code, language).filter((t) => t.kind !== "").map((t) => `${t.kind}:${t.text}`).join(" ");

test("code has comments, strings, numbers and keywords", () => {
  const go = "keyword:func keyword:int keyword:return number:42 comment:// \"no\" 1";
  assert.equal(marked("func f() int { return 42 } // \"no\" 1", "go"), go);
  assert.equal(marked("s = 'a # b' # c", "py"), "string:'a # b' comment:# c");
  assert.equal(marked("{\"a\": [1.5, true]}", "json"), "string:\"a\" number:1.5 keyword:true");
});

test("the tokens are the complete code", () => {
  const code = "/* open\n'x\n`y\n\"z \\";
  for (const language of ["go", "py", "json"]) assert.equal(tokens(code, language).map((t) => t.text).join(""), code);
});

test("the language follows from the name", () => {
  assert.deepEqual(["Main.GO", "Dockerfile", "notes.txt", "constructor"].map(languageOf), ["go", "dockerfile", undefined, undefined]);
});
