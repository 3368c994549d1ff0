// Source code with line numbers, and colors for comments, strings, numbers and keywords.
import type { JSX } from "preact";

const words = "abstract and as async await begin bool boolean break case catch class const continue def default defer del do " +
  "elif else elsif end enum except export extends false finally float fn for from func function go if impl implements import " +
  "in int interface is lambda let loop match mod module mut namespace new nil None not null or package pass private protected " +
  "pub public raise range return select self static string struct super switch then this throw throws trait true True False try " +
  "type typeof undefined union unless until use using val var void where while with yield";
const keywords = new Set(words.split(" "));
const slashes = "//.*|/\\*[\\s\\S]*?(?:\\*/|$)", hashes = "#.*", dashes = "--.*", markup = "<!--[\\s\\S]*?(?:-->|$)";
const comments: Record<string, string> = {
  c: slashes, cc: slashes, cpp: slashes, cs: slashes, css: slashes, dart: slashes, go: slashes, h: slashes, hpp: slashes, java: slashes,
  js: slashes, jsx: slashes, kt: slashes, mjs: slashes, php: slashes, proto: slashes, rs: slashes, scala: slashes, scss: slashes,
  swift: slashes, ts: slashes, tsx: slashes, bash: hashes, py: hashes, r: hashes, rb: hashes, sh: hashes, tf: hashes, toml: hashes,
  yaml: hashes, yml: hashes, ini: hashes, conf: hashes, dockerfile: hashes, makefile: hashes, sql: dashes, lua: dashes, hs: dashes,
  xml: markup, svg: markup, vue: markup, json: "",
};

/** The language of a file by its name, or undefined if the file is not code. */
export function languageOf(name: string): string | undefined {
  const ending = name.toLowerCase().split(".").at(-1) ?? "";
  return Object.hasOwn(comments, ending) ? ending : undefined;
}

const kinds = ["comment", "string", "number", "keyword"] as const; // in the order of the groups of the expression
type Kind = typeof kinds[number] | "";

/** Splits code into tokens. Their texts together are the code. */
export function tokens(code: string, language: string): { kind: Kind; text: string }[] {
  const comment = comments[language] || "(?!)";
  const token = new RegExp(
    `(${comment})|("(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?|\`(?:\\\\.|[^\`\\\\])*\`?)|(\\b\\d[\\w.]*)|([A-Za-z_][\\w]*)`, "g",
  );
  const all: { kind: Kind; text: string }[] = [];
  let end = 0;
  const put = (kind: Kind, text: string): void => {
    const before = all.at(-1);
    if (before?.kind === kind) before.text += text;
    else if (text !== "") all.push({ kind, text });
  };
  for (const found of code.matchAll(token)) {
    const [text, ...groups] = found, kind = kinds[groups.findIndex((group) => group !== undefined)] ?? "";
    put("", code.slice(end, found.index));
    put(kind === "keyword" && !keywords.has(text) ? "" : kind, text);
    end = found.index + text.length;
  }
  put("", code.slice(end));
  return all;
}

export function Code({ text, language }: { text: string; language: string }): JSX.Element {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return (
    <div class="source">
      <pre class="lines" aria-hidden="true">{Array.from({ length: lines }, (_, i) => i + 1).join("\n")}</pre>
      <pre class="code" tabIndex={0}>
        <code>
          {tokens(text, language).map(({ kind, text: of }, i) => kind === "" ? of : <span key={i} class={`of-${kind}`}>{of}</span>)}
        </code>
      </pre>
    </div>
  );
}
