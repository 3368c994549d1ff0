import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/button.js";
import { Molecule } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { drawingOf, type Node, type RecordRow } from "./view.js";

const Solid = lazy(() => import("./solid.js"));

/** The drawing of a record, which can be rotated if it is a crystal. */
export function Turnable({ node, record }: { node: Node; record: RecordRow }): JSX.Element {
  const [turned, turn] = useState(false), crystal = node.subType === "Crystal" && record.state !== "Failed";
  return (
    <>
      {turned ? <Solid address={drawingOf(node.id, record.index)} /> : <Drawing id={node.id} record={record} />}
      {crystal && <p class="turn"><Button icon={Molecule} aria-pressed={turned} onClick={() => turn(!turned)}>Rotate</Button></p>}
    </>
  );
}

/** The drawing of a record as an image, or a placeholder if the record cannot be drawn. */
export function Drawing({ id, record, small }: { id: string; record: RecordRow; small?: boolean }): JSX.Element {
  const [missing, setMissing] = useState(record.state === "Failed");
  return (
    <span class="drawing">
      {missing
        ? <span class="sub">{small ? "–" : "No drawing"}</span>
        : (
          <img
            src={drawingOf(id, record.index)}
            alt={small ? "" : `Drawing of ${record.name || `record ${record.index + 1}`}`}
            loading="lazy" draggable={false} onError={() => setMissing(true)}
          />
        )}
    </span>
  );
}
