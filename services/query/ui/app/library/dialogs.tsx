// The dialogs that are shown before nodes are changed.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Ask } from "../ui/ask.js";
import { Bdi, counted } from "../ui/text.js";
import { createFolder, importPage, moveTo, rename } from "./nodes.js";
import { Tree } from "./tree.js";
import { isFolder, type Node, nameOf } from "./view.js";

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
