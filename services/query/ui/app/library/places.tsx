// The tree of folders beside a list, and links to models, shared nodes, public nodes and the trash.
import type { JSX } from "preact";
import { path as address } from "../router.js";
import { Globe, Model, People, Trash } from "../ui/icon.js";
import { Tree } from "./tree.js";
import type { Node } from "./view.js";

const others = [
  { href: "/library/models", label: "Models", icon: Model },
  { href: "/library/shared", label: "Shared", icon: People },
  { href: "/library/public", label: "Public", icon: Globe },
  { href: "/library/trash", label: "Trash", icon: Trash },
];

export function Places({ path = [] }: { path?: Node[] }): JSX.Element {
  return (
    <nav class="places" aria-label="Places">
      <Tree label="Folders" path={path} chosen={path.at(-1)?.id} />
      <ul class="places-other">
        {others.map(({ href, label, icon: Icon }) => (
          <li key={href}>
            <a class="tree-name" href={href} aria-current={address.value === href ? "page" : undefined}><Icon />{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
