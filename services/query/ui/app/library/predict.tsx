// The form that predicts the records of a file, or one record, with a model.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { navigate } from "../router.js";
import { Ask } from "../ui/ask.js";
import { Choice } from "../ui/tabs.js";
import { Bdi } from "../ui/text.js";
import { ChooseFile } from "./choose.js";
import { type Field, fieldsOf, isNumeric } from "./fields.js";
import { predict, type Report } from "./learning.js";
import { readMetadata } from "./nodes.js";
import { hrefOf, isOwn, type Node } from "./view.js";

const sources = [{ key: "file", label: "Records of a file" }, { key: "record", label: "One record" }] as const;
type Source = typeof sources[number]["key"];

/** Reports whether a model predicts from the structures of molecules. */
const ofMolecules = ({ features }: Report): boolean => features.bits > 0 || features.properties > 0;

/** The names of the columns that a model predicts from, as far as they are known without the file that it was trained on. */
const importantOf = (report: Report): string[] => ofMolecules(report) ? [] : report.importance.map((i) => i.name);

/** The names of the columns of a file that a model predicts from. */
function inputsOf(report: Report, fields: Field[]): string[] {
  const omitted = new Set([report.target, ...report.features.leftOut.map((c) => c.name)]);
  return fields.filter((f) => !f.property && (isNumeric(f.type) || f.type === "boolean") && !omitted.has(f.name)).map((f) => f.name);
}

export function Predict({ node, report, close }: { node: Node; report: Report; close: () => void }): JSX.Element {
  const [source, setSource] = useState<Source>("file"), [file, choose] = useState<Node>(), [name, setName] = useState("");
  const [values, setValues] = useState<Record<string, string>>({});
  const [inputs, setInputs] = useState<string[]>(importantOf(report));
  useEffect(() => {
    // If the file cannot be read, the important columns remain.
    if (report.features.fields === 0) setInputs([]);
    else readMetadata(report.file.id).then((m) => setInputs(inputsOf(report, fieldsOf(m))), () => undefined);
  }, [report]);
  const set = (of: string, value: string): void => setValues({ ...values, [of]: value });
  const filled = Object.entries(values).filter(([, value]) => value.trim() !== "");
  const begin = async (): Promise<void> => {
    const what = source === "file"
      ? { fileId: file?.id ?? "" }
      : { records: [Object.fromEntries(filled.map(([of, value]) => [of, value.trim()]))] };
    navigate(hrefOf(await predict(node, {
      ...what, ...name.trim() ? { name: name.trim() } : {}, ...isOwn(node) && node.parentId ? { parentId: node.parentId } : {},
    })));
  };
  return (
    <Ask
      title="Predict" verb="Predict" close={close} wide act={begin}
      ready={source === "file" ? file !== undefined : filled.length > 0}
    >
      <p class="soft">
        The predictions of <strong><Bdi text={report.target} /></strong> are kept as a file with records, which you can filter and
        export.
      </p>
      <div><Choice label="Predict" options={[...sources]} chosen={source} choose={setSource} /></div>
      {source === "file" && <ChooseFile chosen={file} choose={choose} />}
      {source === "record" && (
        <div class="inputs">
          {ofMolecules(report) && <Input label="SMILES" hint="such as CCO" value={values["smiles"]} set={(v) => set("smiles", v)} wide />}
          {inputs.map((of) => <Input key={of} label={of} value={values[of]} set={(v) => set(of, v)} />)}
        </div>
      )}
      <label class="field">
        Name <small class="soft">(default: the names of the model and the file)</small>
        <input maxLength={255} dir="auto" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
    </Ask>
  );
}

function Input({ label, hint, value, set, wide }: {
  label: string; hint?: string; value: string | undefined; set: (value: string) => void; wide?: boolean;
}): JSX.Element {
  return (
    <label class={wide ? "field all-columns" : "field"}>
      <Bdi text={label} clip />
      <input
        spellcheck={false} maxLength={4096} placeholder={hint ?? ""} value={value ?? ""}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}
