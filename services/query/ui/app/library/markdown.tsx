// Markdown as a page. It becomes elements, never markup: HTML in the text is shown as text.
import type { ComponentChildren, JSX } from "preact";

type Block =
  | { kind: "heading"; level: number; text: string } | { kind: "text"; text: string } | { kind: "rule" }
  | { kind: "code"; text: string } | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; first: number; items: Block[][] }
  | { kind: "table"; head: string[]; rows: string[][] };

const item = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])( {1,4}|$)/;
const deepest = 20; // nested blocks

/** Returns the blocks of a text. */
export function parse(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n"), blocks: Block[] = [];
  let at = 0;
  const line = (): string => lines[at] ?? "";
  while (at < lines.length) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line())?.[1], heading = /^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$/.exec(line());
    if (line().trim() === "") at++;
    else if (fence !== undefined) {
      const code: string[] = [];
      for (at++; at < lines.length && !line().trim().startsWith(fence); at++) code.push(line());
      at++;
      blocks.push({ kind: "code", text: code.join("\n") });
    } else if (heading) {
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
      at++;
    } else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line())) {
      blocks.push({ kind: "rule" });
      at++;
    } else if (/^ {0,3}>/.test(line()) && depth < deepest) {
      const inside: string[] = [];
      for (; /^ {0,3}>/.test(line()); at++) inside.push(line().replace(/^ {0,3}> ?/, ""));
      blocks.push({ kind: "quote", blocks: parse(inside.join("\n"), depth + 1) });
    } else if (item.test(line()) && depth < deepest) blocks.push(list());
    else if (line().includes("|") && /^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$/.test(lines[at + 1] ?? "")) {
      const head = cells(line()), rows: string[][] = [];
      for (at += 2; line().includes("|"); at++) rows.push(cells(line()));
      blocks.push({ kind: "table", head, rows });
    } else if (/^( {4}|\t)/.test(line())) {
      const code: string[] = [];
      for (; at < lines.length && (/^( {4}|\t)/.test(line()) || line().trim() === ""); at++) code.push(line().replace(/^( {4}|\t)/, ""));
      blocks.push({ kind: "code", text: code.join("\n").trimEnd() });
    } else {
      const words: string[] = [];
      do words.push(lines[at++] ?? "");
      while (at < lines.length && line().trim() !== "" && !/^ {0,3}(#{1,6}\s|>|`{3}|~{3})/.test(line()) && !item.test(line()));
      blocks.push({ kind: "text", text: words.join("\n").trim() });
    }
  }
  return blocks;

  function list(): Block {
    const number = item.exec(line())?.[2], items: Block[][] = [];
    for (let begin = item.exec(line()); begin && (begin[2] === undefined) === (number === undefined); begin = item.exec(line())) {
      const indent = " ".repeat(begin[0].length), inside = [line().slice(begin[0].length)];
      for (at++; at < lines.length; at++) {
        const blank = line().trim() === "", next = lines[at + 1] ?? "";
        if (line().startsWith(indent)) inside.push(line().slice(indent.length));
        else if (blank && (next.startsWith(indent) || item.test(next))) inside.push("");
        else if (!blank && /^ {2,}/.test(line())) inside.push(line().trimStart()); // indented by less than the text
        else break;
      }
      items.push(parse(inside.join("\n"), depth + 1));
    }
    return { kind: "list", ordered: number !== undefined, first: Number(number ?? 1), items };
  }
}

const cells = (row: string): string[] => row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));

const inline = new RegExp([
  "(`+)(.+?)\\1(?!`)", "!?\\[([^\\]]*)\\]\\(([^)\\s]*)[^)]*\\)", "\\*\\*(.+?)\\*\\*", "__(.+?)__", "\\*([^*\\s][^*]*)\\*",
  "(?<!\\w)_([^_]+)_(?!\\w)", "~~(.+?)~~", "<(https?:[^>\\s]+)>",
].join("|"), "s");

/** Returns the content of a line with code, links and emphasis. */
export function spans(text: string): ComponentChildren {
  const found = inline.exec(text);
  if (!found) return text.replace(/\\([\\`*_{}[\]()#+.!|~<>-])/g, "$1");
  const [all, ticks, code, label, to, strong, strong2, em, em2, gone, bare] = found;
  const inner = strong ?? strong2, soft = em ?? em2, target = bare ?? to;
  const made = ticks !== undefined
    ? <code>{code?.trim()}</code>
    : inner !== undefined ? <strong>{spans(inner)}</strong>
    : soft !== undefined ? <em>{spans(soft)}</em>
    : gone !== undefined ? <del>{spans(gone)}</del>
    : all.startsWith("!") ? <span class="soft">{label}</span>
    : target !== undefined && /^(https?:|mailto:)/i.test(target)
    ? <a href={target} target="_blank" rel="noreferrer noopener">{bare ?? spans(label ?? "")}</a>
    : <>{spans(label ?? "")}</>;
  return <>{spans(text.slice(0, found.index))}{made}{spans(text.slice(found.index + all.length))}</>;
}

const heads = ["h2", "h3", "h4", "h5", "h6", "h6"] as const; // the page has the h1

function Shown({ block }: { block: Block }): JSX.Element {
  switch (block.kind) {
    case "heading": {
      const Head = heads[block.level - 1] ?? "h6";
      return <Head>{spans(block.text)}</Head>;
    }
    case "text": return <p dir="auto">{spans(block.text)}</p>;
    case "rule": return <hr />;
    case "code": return <pre class="code" tabIndex={0}><code>{block.text}</code></pre>;
    case "quote": return <blockquote>{block.blocks.map((b, i) => <Shown key={i} block={b} />)}</blockquote>;
    case "list": {
      const items = block.items.map((of, i) => <li key={i}><Item blocks={of} /></li>);
      return block.ordered ? <ol start={block.first}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table": return (
      <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
        <table class="grid">
          <thead><tr>{block.head.map((cell, i) => <th key={i} scope="col">{spans(cell)}</th>)}</tr></thead>
          <tbody>{block.rows.map((row, i) => <tr key={i}>{row.map((cell, at) => <td key={at}>{spans(cell)}</td>)}</tr>)}</tbody>
        </table>
      </div>
    );
  }
}

/** The content of a list item; a text alone needs no paragraph. */
function Item({ blocks }: { blocks: Block[] }): JSX.Element {
  const [first, ...rest] = blocks;
  return <>
    {first?.kind === "text" ? spans(first.text) : first && <Shown block={first} />}
    {rest.map((b, i) => <Shown key={i} block={b} />)}
  </>;
}

export function Markdown({ text }: { text: string }): JSX.Element {
  return <article class="markdown">{parse(text).map((block, i) => <Shown key={i} block={block} />)}</article>;
}
