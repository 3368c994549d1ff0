// The structure of the text of an office document: its lines are paragraphs, its tabs separate cells, and its form feeds pages.

export interface Page {
  heading: string;
  blocks: (string | string[][])[]; // paragraphs and tables
}

/** Returns the pages of a text. type is slide or sheet; otherwise the pages of a text with only one have no heading. */
export function pagesOf(text: string, type: unknown): Page[] {
  const parts = text.split("\f");
  return parts.map((part, i) => {
    const lines = part.split("\n").filter((line) => line.trim() !== "");
    if (type === "sheet") return { heading: lines[0] ?? `Sheet ${i + 1}`, blocks: blocksOf(lines.slice(1)) };
    return { heading: type === "slide" ? `Slide ${i + 1}` : parts.length > 1 ? `Page ${i + 1}` : "", blocks: blocksOf(lines) };
  });
}

/** Joins consecutive lines with tabs to tables. A line with tabs alone is a paragraph. */
function blocksOf(lines: string[]): Page["blocks"] {
  const blocks: Page["blocks"] = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (lines[end]?.includes("\t")) end++;
    if (end - i < 2) {
      blocks.push(lines[i++] ?? "");
      continue;
    }
    const rows = lines.slice(i, end).map((line) => line.split("\t")), widest = Math.max(...rows.map((r) => r.length));
    blocks.push(rows.map((r) => [...r, ...Array<string>(widest - r.length).fill("")]));
    i = end;
  }
  return blocks;
}
