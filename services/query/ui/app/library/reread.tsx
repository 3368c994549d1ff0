// How a table is read: the remarks about it, and a form that states it differently.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message, type Schemas } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Loading, Notice, Skeleton } from "../ui/feedback.js";
import { Bdi } from "../ui/text.js";
import { readMetadata } from "./nodes.js";
import { linkToken, type Node } from "./view.js";

export type Options = Schemas["ReadOptions"];

/** Reports whether the options of a file change how its table is read. */
export const isTable = (node: Node): boolean => node.subType === "Table";

/** What was guessed while the file was read and could be read otherwise. */
export function Remarks({ node, reread }: { node: Node; reread: (() => void) | undefined }): JSX.Element | null {
  const [remarks, setRemarks] = useState<string[]>([]);
  useEffect(() => {
    readMetadata(node.id).then(({ remarks }) => {
      setRemarks(Array.isArray(remarks) ? remarks.filter((r) => typeof r === "string") : []);
    }, () => setRemarks([])); // the tab with the metadata shows the error
  }, [node.id, node.version]);
  if (remarks.length === 0) return null;
  return (
    <Notice tone="warn" action={reread && <Button onClick={reread}>Read the table differently</Button>}>
      <ul class="remarks">{remarks.map((r) => <li key={r}><Bdi text={r} /></li>)}</ul>
    </Notice>
  );
}

const choices: { name: keyof Options; label: string; values: [string, string][] }[] = [
  { name: "header", label: "First row", values: [["yes", "Names of the columns"], ["no", "Values"]] },
  { name: "delimiter", label: "Delimiter", values: [[",", "Comma"], [";", "Semicolon"], ["\t", "Tab"], ["|", "Vertical bar"]] },
  { name: "decimal", label: "Decimal mark", values: [[".", "Point"], [",", "Comma"]] },
];

/** A form with a preview. again processes the file with the options. */
export function Reread({ node, close, again }: { node: Node; close: () => void; again: (options: Options) => void }): JSX.Element {
  const [options, setOptions] = useState<Options>(), [error, setError] = useState("");
  const [shown, setShown] = useState<Schemas["TablePreview"]>();
  useEffect(() => {
    let current = true;
    api.GET("/v1/library/files/{id}/preview", { params: { path: { id: node.id }, query: { ...options, ...linkToken() } } }).then(data)
      .then((preview) => {
        if (!current) return;
        if (!options && Object.keys(preview.options).length > 0) setOptions(preview.options);
        else setShown(preview);
        setError("");
      }, (failed: unknown) => { if (current) setError(message(failed)); });
    return () => { current = false; };
  }, [node.id, options]);
  const set = (name: keyof Options, value: string): void => {
    const { [name]: _, ...others } = options ?? {};
    setOptions(value ? { ...others, [name]: value } : others);
  };
  return (
    <Dialog title="Read the table differently" wide close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" disabled={!shown || error !== ""} onClick={() => { close(); again(options ?? {}); }}>Process again</Button>
    </>}>
      <div class="reread-options">
        {choices.map(({ name, label, values }) => (
          <label key={name} class="field">
            {label}
            <select value={options?.[name] ?? ""} onChange={(event) => set(name, event.currentTarget.value)}>
              <option value="">Detect</option>
              {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
            </select>
          </label>
        ))}
        <label class="field">
          Charset
          <input
            maxLength={64} spellcheck={false} placeholder={shown?.charset ?? "detected"} value={options?.charset ?? ""}
            onChange={(event) => set("charset", event.currentTarget.value.trim())}
          />
        </label>
      </div>
      {error && <p class="wrong" role="alert">{error}</p>}
      {!shown && !error && <Loading what="the first rows"><Skeleton height={240} /></Loading>}
      {shown && !error && <Rows shown={shown} />}
    </Dialog>
  );
}

function Rows({ shown }: { shown: Schemas["TablePreview"] }): JSX.Element {
  const columns = shown.columns.slice(0, 30);
  return (
    <>
      {shown.remarks && <ul class="remarks soft">{shown.remarks.map((r) => <li key={r}><Bdi text={r} /></li>)}</ul>}
      <div class="reread-rows scroll-x" role="region" aria-label="First rows" tabIndex={0}>
        <table class="grid">
          <thead><tr>{columns.map((name) => <th key={name} scope="col"><Bdi text={name} /></th>)}</tr></thead>
          <tbody>
            {shown.rows.map((row, i) => (
              <tr key={i}>
                {row.error
                  ? <td colSpan={columns.length} class="bad"><Bdi text={row.error} /></td>
                  : columns.map((name, at) => <td key={name}><Bdi text={row.cells[at] ?? ""} /></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.rows.length === 0 && <p class="soft">The table has no rows.</p>}
    </>
  );
}
