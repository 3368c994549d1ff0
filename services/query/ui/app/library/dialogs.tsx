// The dialogs that are shown before nodes are changed.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Bdi, counted } from "../ui/text.js";
import { createFolder, importPage, moveTo, rename } from "./nodes.js";
import { Tree } from "./tree.js";
import { isFolder, type Node, nameOf } from "./view.js";

/** A dialog with a form. If the action fails, it stays open and shows the error. */
export function Ask({ title, verb, close, act, ready, wide, children }: {
  title: string; verb: string; close: () => void; act: () => Promise<unknown>; ready: boolean; wide?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await act();
      close();
    } catch (failed) {
      setError(message(failed));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close} {...wide ? { wide } : {}} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" type="submit" form="ask" disabled={!ready || busy}>{verb}</Button>
    </>}>
      <form id="ask" class="ask" onSubmit={(event) => { event.preventDefault(); if (ready && !busy) void submit(); }}>{children}</form>
      {error && <p class="wrong" role="alert">{error}</p>}
    </Dialog>
  );
}

export function NewFolder({ parentId, close }: { parentId: string | undefined; close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  return (
    <Ask title="New folder" verb="Create" close={close} ready={name.trim() !== ""} act={() => createFolder(name.trim(), parentId)}>
      <label class="field">
        Name
        <input data-focus maxLength={255} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
    </Ask>
  );
}

export function Rename({ node, close }: { node: Node; close: () => void }): JSX.Element {
  const [name, setName] = useState(node.name), ending = isFolder(node) ? -1 : node.name.lastIndexOf(".");
  return (
    <Ask
      title="Rename" verb="Rename" close={close} ready={name.trim() !== ""}
      act={() => name.trim() === node.name ? Promise.resolve() : rename(node, name.trim())}
    >
      <label class="field">
        Name
        <input
          data-focus maxLength={255} dir="auto" value={name}
          onFocus={(event) => event.currentTarget.setSelectionRange(0, ending > 0 ? ending : node.name.length)}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
    </Ask>
  );
}

export function ImportPage({ parentId, close }: { parentId: string | undefined; close: () => void }): JSX.Element {
  const [url, setURL] = useState(""), [name, setName] = useState("");
  return (
    <Ask
      title="Import a web page" verb="Import" close={close}
      ready={/^https?:\/\/\S/i.test(url.trim())}
      act={() => importPage(url.trim(), name.trim(), parentId)}
    >
      <label class="field">
        Address
        <input
          data-focus type="url" placeholder="https://example.com/article" maxLength={1024}
          value={url} onInput={(event) => setURL(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Name <small class="soft">(default: the title of the page)</small>
        <input maxLength={255} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <p class="soft">Assay saves the page as it is now, with its text and a picture. You can also import PDF files and images.</p>
    </Ask>
  );
}

export function Move({ nodes, close }: { nodes: Node[]; close: () => void }): JSX.Element {
  const [to, setTo] = useState<Node>(), first = nodes[0];
  const what = nodes.length === 1 && first ? <Bdi text={nameOf(first)} /> : counted(nodes.length, "item");
  return (
    <Ask title="Move" verb="Move here" close={close} ready={to !== undefined} act={() => to ? moveTo(nodes, to) : Promise.resolve()}>
      <p>Choose a folder for <strong>{what}</strong>.</p>
      <div class="tree-box"><Tree label="Folders" choose={setTo} chosen={to?.id} without={new Set(nodes.map((n) => n.id))} /></div>
    </Ask>
  );
}

/** Asks for confirmation of an action that cannot be undone. */
export function Confirm({ title, verb, close, act, children }: {
  title: string; verb: string; close: () => void; act: () => void; children: ComponentChildren;
}): JSX.Element {
  return (
    <Dialog title={title} close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="danger" onClick={() => { close(); act(); }}>{verb}</Button>
    </>}>
      <p>{children}</p>
    </Dialog>
  );
}
