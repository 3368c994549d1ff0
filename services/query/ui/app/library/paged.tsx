// The text of an office document, with its paragraphs, tables, slides and sheets.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Bdi } from "../ui/text.js";
import { pagesOf } from "./blocks.js";
import { readMetadata } from "./nodes.js";
import type { Node } from "./view.js";

export default function Paged({ node, text }: { node: Node; text: string }): JSX.Element {
  const [type, setType] = useState<unknown>();
  useEffect(() => { readMetadata(node.id).then((m) => setType(m["pageType"]), () => undefined); }, [node.id]);
  const pages = useMemo(() => pagesOf(text, type), [text, type]);
  return (
    <div class="paged-text">
      {pages.map(({ heading, blocks }, i) => (
        <section key={i}>
          {heading && <h2><Bdi text={heading} /></h2>}
          {blocks.length === 0 && <p class="soft">No text</p>}
          {blocks.map((block, at) => typeof block === "string" ? <p key={at} dir="auto">{block}</p> : (
            <div key={at} class="scroll-x" role="group" aria-label="Table, scrollable" tabIndex={0}>
              <table class="grid">
                <tbody>{block.map((row, r) => <tr key={r}>{row.map((cell, c) => <td key={c}><Bdi text={cell} /></td>)}</tr>)}</tbody>
              </table>
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}
