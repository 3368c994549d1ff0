// The dialog that filters records by a column.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Bdi, count, visible } from "../ui/text.js";
import { between, contains, equals } from "./conditions.js";
import type { Statistics } from "./summary.js";

const suggested = 8; // values

interface ColumnFilterProps {
  name: string;
  numeric: boolean;
  statistics: Statistics | undefined;
  /** Called with the condition that the user chose. */
  apply: (condition: string) => void;
  close: () => void;
}

export default function ColumnFilter({ name, numeric, statistics, apply, close }: ColumnFilterProps): JSX.Element {
  const [from, setFrom] = useState(""), [to, setTo] = useState(""), [text, setText] = useState("");
  const condition = numeric ? between(name, from, to) : contains(name, text.trim()), values = numeric ? [] : statistics?.values ?? [];
  const number = (label: string, value: string, set: (value: string) => void, example: unknown): JSX.Element => (
    <label class="field grow">
      {label}
      <input
        type="number" step="any" value={value} placeholder={example === undefined ? "" : String(example)}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <Dialog title={`Filter by ${visible(name)}`} close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" type="submit" form="column-filter" disabled={condition === ""}>Filter</Button>
    </>}>
      <form id="column-filter" class="ask" onSubmit={(event) => { event.preventDefault(); if (condition) apply(condition); }}>
        {numeric
          ? (
            <div class="actions">
              {number("At least", from, setFrom, statistics?.min)}
              {number("At most", to, setTo, statistics?.max)}
            </div>
          )
          : (
            <label class="field">
              Contains
              <input data-focus value={text} maxLength={200} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
          )}
      </form>
      {values.length > 0 && (
        <section class="values">
          <h3>Most frequent values</h3>
          <ul>
            {values.slice(0, suggested).map((v) => (
              <li key={v.value}>
                <button type="button" class="link" onClick={() => apply(equals(name, String(v.value)))}>
                  <Bdi text={String(v.value)} clip />
                </button>
                <span class="soft num">{count(v.count)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
