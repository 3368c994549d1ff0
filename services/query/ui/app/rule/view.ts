// Rules as users see them.
import { api, data, type Schemas } from "../api/client.js";
import type { Tone } from "../ui/feedback.js";

export type Rule = Schemas["SavedRule"];
export type Action = Schemas["RuleAction"];
export type Trial = Schemas["Trial"];
export type Entry = Schemas["RuleEntry"];

/** What an action can do, with the label of its input. */
export const verbs = [
  { key: "tag", label: "Add a tag", input: "Tag" },
  { key: "untag", label: "Remove a tag", input: "Tag" },
  { key: "move", label: "Move to a folder", input: "Folder ID, or root" },
  { key: "send", label: "Send to an area", input: "Area" },
  { key: "edit", label: "Edit the picture", input: "How to edit" },
  { key: "notify", label: "Notify", input: "Text" },
] as const;

export type Verb = (typeof verbs)[number]["key"];

export const statuses: Record<Entry["status"], { label: string; tone: Tone }> = {
  planned: { label: "Planned", tone: "active" },
  done: { label: "Done", tone: "good" },
  conflict: { label: "Conflict", tone: "warn" },
  skipped: { label: "Skipped", tone: "neutral" },
  failed: { label: "Failed", tone: "bad" },
};

/** The action that does something with a value. */
export function actionOf(verb: Verb, value: string): Action {
  return verb === "edit" ? { edit: { prompt: value } } : { [verb]: value };
}

/** What an action does, and with what, as the dialog shows it. */
export function stepOf(a: Action): { verb: Verb; value: string } {
  const verb = verbs.find(({ key }) => a[key])?.key ?? "tag";
  return { verb, value: verb === "edit" ? a.edit?.prompt ?? "" : a[verb] ?? "" };
}

/** Describes an action in a few words. */
export function actionText(a: Action): string {
  if (a.edit) return a.edit.prompt ? `edit: ${a.edit.prompt}` : "edit";
  for (const { key } of verbs) {
    if (key !== "edit" && a[key]) return `${key}: ${a[key]}`;
  }
  return "unknown";
}

/** Describes the items that a rule acts on. */
export function itemsOf(r: Rule): string {
  const what = r.search ? `new matches of ${r.search}` : r.q ?? "";
  return r.areas.length > 0 ? `${what} in ${r.areas.join(", ")}` : what;
}

export async function listRules(): Promise<Rule[]> {
  return (await api.GET("/v1/rules").then(data)).rules;
}

/** Saves a rule. */
export async function save(name: string, rule: Schemas["NewRule"]): Promise<Rule> {
  return api.PUT("/v1/rules/{name}", { params: { path: { name } }, body: rule }).then(data);
}

/** Enables or disables a rule. */
export async function enable(r: Rule, enabled: boolean): Promise<Rule> {
  const { search, q, areas, actions, order } = r;
  return save(r.name, { ...search ? { search } : { q: q ?? "" }, areas, actions, order, enabled });
}

export async function remove(name: string): Promise<void> {
  await api.DELETE("/v1/rules/{name}", { params: { path: { name } } });
}

/** Returns what a rule would do with the items that match now. */
export async function tryOut(name: string): Promise<Trial> {
  return api.POST("/v1/rules/{name}/dry-run", { params: { path: { name } } }).then(data);
}
