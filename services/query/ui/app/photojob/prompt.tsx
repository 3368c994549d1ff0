// The form with the prompt for photos, shown before an upload and before another edit.
import type { JSX } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import type { FormProps } from "../upload/target.js";
import { counted } from "../ui/text.js";
import { MoreOptions } from "./options.js";
import { Plan } from "./plan.js";
import { examples, type Options, type Terms } from "./view.js";

const kept = "assay-photo-prompt";

function lastPrompt(): string {
  try {
    return localStorage.getItem(kept) ?? "";
  } catch {
    return "";
  }
}

/** Remembers a prompt for the next upload. */
export function keepPrompt(prompt: string): void {
  try {
    localStorage.setItem(kept, prompt);
  } catch {
    // The browser does not allow storage.
  }
}

export function PromptFields({ terms, change }: { terms: Terms; change: (terms: Terms) => void }): JSX.Element {
  const id = useId();
  const add = (phrase: string): void => {
    const prompt = terms.prompt.trim();
    change({ ...terms, prompt: prompt === "" ? phrase : prompt.includes(phrase) ? prompt : `${prompt}, ${phrase}` });
  };
  const choose = (format: string): void => {
    const { format: _, ...rest } = terms.options;
    change({ ...terms, options: format === "" ? rest : { ...rest, format: format as NonNullable<Options["format"]> } });
  };
  return (
    <div class="prompt">
      <label class="field" for={id}>What to do
        <textarea
          id={id} rows={2} maxLength={2000} placeholder="enhance" value={terms.prompt}
          onInput={(event) => change({ ...terms, prompt: event.currentTarget.value })}
        />
      </label>
      <p class="phrases" role="group" aria-label="Add to the prompt">
        {examples.map((phrase) => <button key={phrase} type="button" class="tag" onClick={() => add(phrase)}>{phrase}</button>)}
      </p>
      <Plan terms={terms} />
      <label>
        Format{" "}
        <select value={terms.options.format ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">as uploaded</option>
          <option value="jpeg">JPEG</option>
          <option value="png">PNG</option>
          <option value="webp">WebP</option>
          <option value="gif">GIF</option>
          <option value="avif">AVIF</option>
        </select>
      </label>
      <MoreOptions options={terms.options} change={(options) => change({ ...terms, options })} />
    </div>
  );
}

/** The form of an upload. */
export default function PromptForm({ files, change }: FormProps): JSX.Element {
  const [terms, setTerms] = useState<Terms>({ prompt: lastPrompt(), options: {} });
  useLayoutEffect(() => change(terms), []);
  return (
    <section class="card form" aria-label="Photos">
      <h2>{counted(files.length, "photo")}</h2>
      <PromptFields terms={terms} change={(to) => { setTerms(to); change(to); }} />
    </section>
  );
}
