// The form that trains a model on the records of a file.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { message } from "../api/client.js";
import { navigate } from "../router.js";
import { Ask } from "../ui/ask.js";
import { Loading, Skeleton } from "../ui/feedback.js";
import { visible } from "../ui/text.js";
import { type Field, fieldsOf, isNumeric, listed } from "./fields.js";
import { trainModel } from "./learning.js";
import { readMetadata } from "./nodes.js";
import { type Statistics, useStatistics } from "./summary.js";
import { hrefOf, isOwn, type Node, nameOf } from "./view.js";

const described = 50; // fields in one request for statistics

/** The fields whose values a model can predict. */
function targets(fields: Field[], statistics: ReadonlyMap<string, Statistics>): Field[] {
  return fields.filter((f, i) => {
    if (fields.findIndex((other) => other.name === f.name) !== i) return false; // a property that a field of the file hides
    return isNumeric(f.type) ? f.min !== f.max : statistics.get(f.name)?.distinct === 2;
  });
}

function optionOf(f: Field, statistics: Statistics | undefined): string {
  const values = isNumeric(f.type) ? `${String(f.min)} – ${String(f.max)}` : (statistics?.values ?? []).map((v) => v.value).join(", ");
  return visible(values ? `${f.name} (${values})` : f.name);
}

export function Train({ node, close }: { node: Node; close: () => void }): JSX.Element {
  const [fields, setFields] = useState<Field[]>(), [failed, setFailed] = useState("");
  const [column, setColumn] = useState(""), [name, setName] = useState(""), [seed, setSeed] = useState("");
  useEffect(() => {
    readMetadata(node.id).then((m) => {
      const all = fieldsOf(m);
      setFields([...all.filter((f) => !f.property), ...all.filter((f) => f.property)]);
    }, (error: unknown) => setFailed(message(error)));
  }, [node.id]);
  const others = useMemo(() => (fields ?? []).filter((f) => !isNumeric(f.type)).slice(0, described).map((f) => f.name), [fields]);
  const statistics = useStatistics(node.id, "", listed(others)), choices = targets(fields ?? [], statistics);
  const groups = [
    { label: "From the file", of: choices.filter((f) => !f.property) },
    { label: "Determined by Assay", of: choices.filter((f) => f.property) },
  ].filter(({ of }) => of.length > 0);
  const fit = seed === "" || /^\d+$/.test(seed) && Number.isSafeInteger(Number(seed));
  const train = async (): Promise<void> => {
    navigate(hrefOf(await trainModel({
      fileId: node.id, column, ...name.trim() ? { name: name.trim() } : {}, ...seed ? { seed: Number(seed) } : {},
      ...isOwn(node) && node.parentId ? { parentId: node.parentId } : {},
    })));
  };
  return (
    <Ask title="Train a model" verb="Train" close={close} ready={column !== "" && fit} act={train}>
      <p class="soft">
        The model learns to predict a column from the other numbers of a record and, if the records are molecules, from their
        structures. Its report says how well that works.
      </p>
      {failed && <p class="wrong" role="alert">{failed}</p>}
      {!fields && !failed && <Loading what="the columns"><Skeleton height={60} /></Loading>}
      {fields && (
        <label class="field">
          Column to predict
          <select data-focus value={column} onChange={(event) => setColumn(event.currentTarget.value)}>
            <option value="" disabled>{choices.length > 0 ? "Choose a column" : "No column has numbers or two values"}</option>
            {groups.map(({ label, of }) => (
              <optgroup key={label} label={label}>
                {of.map((f) => <option key={f.name} value={f.name}>{optionOf(f, statistics.get(f.name))}</option>)}
              </optgroup>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        Name
        <input
          maxLength={255} dir="auto" value={name} placeholder={column ? visible(`${column} of ${nameOf(node)}`) : ""}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <details>
        <summary>Advanced</summary>
        <label class="field">
          Seed <small class="soft">(the same records and seed give the same model)</small>
          <input
            inputMode="numeric" maxLength={16} placeholder="0" value={seed} aria-invalid={!fit}
            onInput={(event) => setSeed(event.currentTarget.value.trim())}
          />
        </label>
      </details>
    </Ask>
  );
}
