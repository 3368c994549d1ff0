import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { drawingOf, type RecordRow } from "./view.js";

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
