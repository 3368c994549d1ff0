// Rules for the sources of the app, which run in its folder.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

const longestLine = 140; // characters
const longestFile = 400; // lines; a longer file covers several subjects
const generated = ["api/schema.d.ts", "api/operators.d.ts"];

const sources = new Map(files(".").filter((path) => /\.(tsx?|css)$/.test(path) && !generated.includes(path)).map((path) => (
  [path, readFileSync(path, "utf8")]
)));

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : files(path);
    return [path];
  });
}

/** The files of the app that a file imports: values and types, also those that are loaded later. */
function imports(path: string, text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)\.js"/g)].flatMap(([, to]) => {
    const name = posix.join(posix.dirname(path), to ?? "");
    return [`${name}.ts`, `${name}.tsx`].filter((file) => sources.has(file));
  });
}

/** Returns a circle of imports, such as a, b, a; empty if there is none. */
function circle(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const found = visit(next, [...path, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const found = visit(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

test("imports form no circle", () => {
  const graph = new Map([...sources].map(([path, text]) => [path, imports(path, text)]));
  assert.ok(graph.get("main.tsx")?.includes("areas.ts"), "main.tsx imports areas.ts");
  assert.ok(graph.get("area.ts")?.includes("router.ts"), "area.ts imports a type of router.ts");
  assert.ok(graph.get("library/area.ts")?.includes("library/page.tsx"), "library/area.ts loads library/page.tsx later");
  assert.deepEqual(circle(graph).join(" → "), "");
});

test("lines and files have a limited length", () => {
  const long = [...sources].flatMap(([path, text]) => {
    const lines = text.trimEnd().split("\n");
    const wide = lines.flatMap((line, i) => line.length > longestLine ? [`${path}:${i + 1}: ${line.length} characters`] : []);
    return lines.length > longestFile ? [...wide, `${path}: ${lines.length} lines`] : wide;
  });
  assert.deepEqual(long, []);
});
