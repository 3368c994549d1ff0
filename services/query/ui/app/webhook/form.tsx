// The dialogs that register and change an endpoint, and that show its secret.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, data } from "../api/client.js";
import { areas } from "../areas.js";
import { Ask } from "../ui/ask.js";
import { Button, IconButton } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Notice } from "../ui/feedback.js";
import { Copy } from "../ui/icon.js";
import { toast } from "../ui/toast.js";
import type { Endpoint, NewEndpoint } from "./view.js";

/** The input of the form. Lists are texts, separated by spaces. */
interface Input {
  url: string;
  name: string;
  areas: string[];
  types: string;
  tags: string;
  folder: string;
  onlyNamed: boolean;
  result: boolean;
}

const none: Input = { url: "", name: "", areas: [], types: "", tags: "", folder: "", onlyNamed: false, result: false };

const list = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

function inputOf(e: Endpoint): Input {
  return {
    url: e.url, name: e.name ?? "", areas: e.areas ?? [], types: (e.types ?? []).join(" "), tags: (e.tags ?? []).join(" "),
    folder: e.folder ?? "", onlyNamed: e.onlyNamed ?? false, result: e.include === "result",
  };
}

function bodyOf(i: Input): { url: string } & Record<"name" | "folder", string> & Record<"areas" | "types" | "tags", string[]> & {
  onlyNamed: boolean; include: "result" | "";
} {
  return {
    url: i.url.trim(), name: i.name.trim(), areas: i.areas, types: list(i.types), tags: list(i.tags), folder: i.folder.trim(),
    onlyNamed: i.onlyNamed, include: i.result ? "result" : "",
  };
}

// The feed has no owner, so that only the endpoints of operators receive its events.
const selectable = [
  ...areas.filter((a) => a.name !== "feed").map(({ name, label }) => ({ name, label })), { name: "webhook", label: "Webhooks" },
];

function Fields({ input, set }: { input: Input; set: (change: Partial<Input>) => void }): JSX.Element {
  const toggle = (name: string, on: boolean): void => {
    set({ areas: on ? [...input.areas, name] : input.areas.filter((a) => a !== name) });
  };
  const filtered = input.types !== "" || input.tags !== "" || input.folder !== "" || input.onlyNamed;
  return (
    <>
      <label class="field">
        URL
        <input
          data-focus type="url" required placeholder="https://example.com/hooks" maxLength={2048} autocomplete="off"
          value={input.url} onInput={(event) => set({ url: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Name <small class="soft">(optional: uploads can name the endpoint by it)</small></span>
        <input
          maxLength={64} pattern="[A-Za-z0-9._\-]*" title="Letters, digits, dots, hyphens and underscores" autocomplete="off"
          spellcheck={false} value={input.name} onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <fieldset class="areas">
        <legend>Areas <small class="soft">(none: all)</small></legend>
        {selectable.map((a) => (
          <label key={a.name}>
            <input
              type="checkbox" checked={input.areas.includes(a.name)}
              onChange={(event) => toggle(a.name, event.currentTarget.checked)}
            />
            {a.label}
          </label>
        ))}
      </fieldset>
      <label class="switch">
        <input type="checkbox" checked={input.result} onChange={(event) => set({ result: event.currentTarget.checked })} />
        <span>Include the result<span class="sub">If the request does not exceed 20 KB. Otherwise, read the item.</span></span>
      </label>
      <details class="more" open={filtered}>
        <summary>More filters</summary>
        <label class="field">
          Types
          <input
            placeholder="library.completed library.failed" spellcheck={false} autocomplete="off"
            value={input.types} onInput={(event) => set({ types: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          Tags
          <input spellcheck={false} autocomplete="off" value={input.tags} onInput={(event) => set({ tags: event.currentTarget.value })} />
        </label>
        <label class="field">
          <span>Folder of the library <small class="soft">(its ID, which is in the address of its page)</small></span>
          <input
            maxLength={36} spellcheck={false} autocomplete="off"
            value={input.folder} onInput={(event) => set({ folder: event.currentTarget.value })}
          />
        </label>
        <label class="switch">
          <input type="checkbox" checked={input.onlyNamed} onChange={(event) => set({ onlyNamed: event.currentTarget.checked })} />
          <span>Only items that name this endpoint<span class="sub">In the header X-Webhook of their upload.</span></span>
        </label>
      </details>
    </>
  );
}

/** Registers an endpoint and shows its secret. close is called with the id if there is a new endpoint. */
export function Register({ close }: { close: (id?: string) => void }): JSX.Element {
  const [input, setInput] = useState(none), [asymmetric, setAsymmetric] = useState(false), [made, setMade] = useState<NewEndpoint>();
  if (made) return <Secret endpoint={made} close={() => close(made.id)} />;
  const create = async (): Promise<void> => {
    setMade(await api.POST("/v1/webhooks", {
      body: { ...bodyOf(input), signature: asymmetric ? "ed25519" as const : "hmac" as const },
    }).then(data));
  };
  return (
    <Ask title="Add endpoint" verb="Add" close={close} ready={input.url.trim() !== ""} act={create} stays>
      <Fields input={input} set={(change) => setInput((was) => ({ ...was, ...change }))} />
      <label class="field">
        Signature
        <select value={asymmetric ? "ed25519" : "hmac"} onChange={(event) => setAsymmetric(event.currentTarget.value === "ed25519")}>
          <option value="hmac">HMAC-SHA256 with a shared secret (v1)</option>
          <option value="ed25519">ed25519 with a public key (v1a)</option>
        </select>
      </label>
    </Ask>
  );
}

/** Changes an endpoint. */
export function Edit({ endpoint, changed, close }: {
  endpoint: Endpoint; changed: (e: Endpoint) => void; close: () => void;
}): JSX.Element {
  const [input, setInput] = useState(() => inputOf(endpoint));
  const save = async (): Promise<void> => {
    changed(await api.PATCH("/v1/webhooks/{id}", { params: { path: { id: endpoint.id } }, body: bodyOf(input) }).then(data));
    toast("Endpoint changed.");
  };
  return (
    <Ask title="Edit endpoint" verb="Save" close={close} ready={input.url.trim() !== ""} act={save}>
      <Fields input={input} set={(change) => setInput((was) => ({ ...was, ...change }))} />
    </Ask>
  );
}

/** Shows the secret of an endpoint, once. */
export function Secret({ endpoint: e, close }: { endpoint: NewEndpoint; close: () => void }): JSX.Element {
  const what = e.signature === "ed25519" ? "Public key" : "Secret";
  return (
    <Dialog title={what} close={close} footer={<>
      <Button icon={Copy} onClick={() => void copy(e.secret, what)}>Copy</Button><span class="grow" />
      <Button kind="primary" onClick={close}>Done</Button>
    </>}>
      <p>Your program verifies requests with it. <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">Standard
        Webhooks</a> has libraries for many languages.</p>
      <div class="secret">
        <input readOnly aria-label={what} value={e.secret} onFocus={(event) => event.currentTarget.select()} data-focus />
        <IconButton icon={Copy} label={`Copy ${what.toLowerCase()}`} onClick={() => void copy(e.secret, what)} />
      </div>
      <Notice tone="warn">{e.signature === "ed25519"
        ? "Store it where your program runs. The page of the endpoint shows it, too."
        : "Store it where your program runs. It is not shown again."}</Notice>
    </Dialog>
  );
}
