// The dialog that adds or edits a rule.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { areas } from "../areas.js";
import { Ask } from "../ui/ask.js";
import { Button, IconButton } from "../ui/button.js";
import { Close, Plus } from "../ui/icon.js";
import { Bdi } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { type Action, actionOf, type Rule, save, stepOf, type Verb, verbs } from "./view.js";

interface Step {
  verb: Verb;
  value: string;
  kept?: Action; // the action of the rule, until the step is changed: it can have options that the dialog does not show
}

const most = 10; // actions of a rule

/** Adds a rule, or edits one. */
export function Form({ rule, saved, close }: { rule?: Rule; saved: () => void; close: () => void }): JSX.Element {
  const [name, setName] = useState(rule?.name ?? ""), [query, setQuery] = useState(rule?.q ?? "");
  const [area, setArea] = useState(rule?.areas.join(" ") ?? ""), [order, setOrder] = useState(String(rule?.order ?? 0));
  const [steps, setSteps] = useState<Step[]>(rule?.actions.map((a) => ({ ...stepOf(a), kept: a })) ?? [{ verb: "tag", value: "" }]);
  const change = (n: number, to: Partial<Step>): void =>
    setSteps((all) => all.map((s, i) => i === n ? { verb: s.verb, value: s.value, ...to } : s));
  const search = rule?.search; // the name of a saved search, which stays
  const ready = name.trim() !== "" && (search !== undefined || query.trim() !== "") && order.trim() !== "" &&
    steps.every((s) => s.verb === "edit" || s.value.trim() !== "");
  const act = async (): Promise<void> => {
    await save(name.trim(), {
      ...search ? { search } : { q: query.trim() }, areas: area ? area.split(" ") : [],
      order: Number(order), enabled: rule?.enabled ?? true,
      actions: steps.map((s) => s.kept ?? actionOf(s.verb, s.value.trim())),
    });
    toast("Rule saved.");
    saved();
  };
  return (
    <Ask title={rule ? `Edit ${rule.name}` : "Add rule"} verb={rule ? "Save" : "Add"} close={close} ready={ready} act={act}>
      {!rule && (
        <label class="field">
          <span>Name <small class="soft">(a rule with this name is replaced)</small></span>
          <input
            data-focus required maxLength={64} pattern="[a-z0-9][a-z0-9\-]*" title="Letters a to z, digits and hyphens" autocomplete="off"
            spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      )}
      {search
        ? <p class="soft">It acts on new matches of the saved search <Bdi text={search} />.</p>
        : (
          <label class="field">
            <span>New items that match <small class="soft">(a query of the search)</small></span>
            <input
              data-focus={rule !== undefined} required maxLength={500} placeholder="invoice type:pdf" autocomplete="off" spellcheck={false}
              value={query} onInput={(event) => setQuery(event.currentTarget.value)}
            />
          </label>
        )}
      <label class="field">
        Area
        <select value={area} onChange={(event) => setArea(event.currentTarget.value)}>
          <option value="">All</option>
          {areas.map((a) => <option key={a.name} value={a.name}>{a.label}</option>)}
          {rule && rule.areas.length > 1 && <option value={rule.areas.join(" ")}>{rule.areas.join(", ")}</option>}
        </select>
      </label>
      <fieldset class="rule-steps">
        <legend>Actions</legend>
        {steps.map((s, n) => (
          <div class="step" key={n}>
            <select
              aria-label={`Action ${n + 1}`} value={s.verb} onChange={(event) => change(n, { verb: event.currentTarget.value as Verb })}
            >
              {verbs.map((v) => <option key={v.key} value={v.key}>{v.label}</option>)}
            </select>
            <input
              aria-label={`${verbs.find((v) => v.key === s.verb)?.input ?? ""} of action ${n + 1}`} maxLength={500} autocomplete="off"
              placeholder={verbs.find((v) => v.key === s.verb)?.input ?? ""} required={s.verb !== "edit"}
              value={s.value} onInput={(event) => change(n, { value: event.currentTarget.value })}
            />
            <IconButton
              icon={Close} label={`Remove action ${n + 1}`} disabled={steps.length === 1}
              onClick={() => setSteps((all) => all.filter((_, i) => i !== n))}
            />
          </div>
        ))}
        <Button
          icon={Plus} disabled={steps.length >= most} onClick={() => setSteps((all) => [...all, { verb: "tag", value: "" }])}
        >Add action</Button>
      </fieldset>
      <label class="field">
        <span>Order <small class="soft">(rules with lower numbers act first)</small></span>
        <input
          type="number" required min={-1_000_000} max={1_000_000} value={order} onInput={(event) => setOrder(event.currentTarget.value)}
        />
      </label>
    </Ask>
  );
}
