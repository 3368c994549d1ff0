import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { setQuery } from "../router.js";
import { Button, IconButton } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Close } from "../ui/icon.js";
import { Choice } from "../ui/tabs.js";
import { Bdi, Time } from "../ui/text.js";
import { bounds, clear, filtered, maxHours, type Selection, windows } from "./selection.js";
import { sentiments, sourceTypes } from "./view.js";

const custom = "custom";

/** The controls for the window and the filters, which can be combined. */
export function Filters({ chosen }: { chosen: Selection }): JSX.Element {
  const [asking, ask] = useState(false), range = chosen.from && chosen.to;
  const choices = [...windows, { key: custom, label: "Custom" }] as const;
  return (
    <>
      <div class="toolbar feed-filters">
        <Choice
          label="Time range" options={[...choices]} chosen={range ? custom : String(chosen.hours)}
          choose={(key) => { if (key === custom) ask(true); else setQuery({ hours: key === "24" ? "" : key, from: "", to: "" }); }}
        />
        <div class="selects">
          <label><span class="visually-hidden">Source</span>
            <select value={chosen.sourceType ?? ""} onChange={(event) => setQuery({ sourceType: event.currentTarget.value })}>
              <option value="">All sources</option>{sourceTypes.map((s) => <option key={s.key} value={s.key}>{s.label}</option>)}
            </select>
          </label>
          <label><span class="visually-hidden">Sentiment</span>
            <select value={chosen.sentiment ?? ""} onChange={(event) => setQuery({ sentiment: event.currentTarget.value })}>
              <option value="">Any sentiment</option>{sentiments.map((s) => <option key={s.key} value={s.key}>{s.label}</option>)}
            </select>
          </label>
          <form onSubmit={(event) => {
            event.preventDefault();
            setQuery({ tag: new FormData(event.currentTarget).get("tag")?.toString().trim() ?? "" });
          }}>
            <label>
              <span class="visually-hidden">Tag</span>
              <input key={chosen.tag} name="tag" type="search" placeholder="Any tag" defaultValue={chosen.tag} maxLength={50} />
            </label>
          </form>
        </div>
      </div>
      {(range || filtered(chosen)) && (
        <p class="chosen">
          {chosen.from && chosen.to && (
            <span class="chip">
              <Time iso={chosen.from.toISOString()} exact /> – <Time iso={chosen.to.toISOString()} exact />
              <IconButton icon={Close} label="Show the last 24 hours" onClick={() => setQuery({ from: "", to: "" })} />
            </span>
          )}
          {chosen.tag && (
            <span class="chip">
              Tag <Bdi text={chosen.tag} />
              <IconButton icon={Close} label="Show all tags" onClick={() => setQuery({ tag: "" })} />
            </span>
          )}
          <Button kind="quiet" onClick={clear}>Clear all</Button>
        </p>
      )}
      {asking && <Range chosen={chosen} close={() => ask(false)} />}
    </>
  );
}

/** A time in the format of an input, in the viewer's time zone. */
function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Range({ chosen, close }: { chosen: Selection; close: () => void }): JSX.Element {
  const [first, last] = bounds(chosen);
  const [from, setFrom] = useState(local(first)), [to, setTo] = useState(local(last));
  const oldest = new Date(Date.now() - maxHours * 3_600_000 + 60_000);
  const wrong = !from || !to
    ? "Choose both times."
    : from >= to ? "The end must be after the start."
    : new Date(from) < oldest ? "Totals reach back 400 days. Choose a later start."
    : "";
  return (
    <Dialog title="Choose a range" close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" disabled={wrong !== ""} onClick={() => {
        setQuery({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), hours: "" });
        close();
      }}>
        Show
      </Button>
    </>}>
      <div class="range">
        <label class="field">
          From
          <input type="datetime-local" value={from} min={local(oldest)} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
        <label class="field">
          To
          <input type="datetime-local" value={to} min={local(oldest)} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
      </div>
      <p class="soft" role="status">{wrong || "Times are in your time zone."}</p>
    </Dialog>
  );
}
