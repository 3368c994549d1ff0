// What the owner of a file or a model can do with it on its page.
import type { JSX } from "preact";
import { navigate } from "../router.js";
import { Confirm } from "../ui/ask.js";
import { Button } from "../ui/button.js";
import { Notice } from "../ui/feedback.js";
import { Link, Move as MoveIcon, Pencil } from "../ui/icon.js";
import type { MenuItem } from "../ui/menu.js";
import { Move, Rename } from "./dialogs.js";
import { erase, restore } from "./nodes.js";
import { ShareDialog } from "./share.js";
import { isModel, isOwn, type Node } from "./view.js";

/** A dialog about a node. */
export type Asking = "rename" | "move" | "share" | "erase";

const what = (node: Node): string => isModel(node) ? "model" : "file";

/** The entries of a menu that share, rename and move a node. */
export const changes = (ask: (asking: Asking) => void): MenuItem[] => [
  { label: "Share", icon: Link, act: () => ask("share") },
  { label: "Rename", icon: Pencil, act: () => ask("rename") },
  { label: "Move", icon: MoveIcon, act: () => ask("move") },
];

/** States that a node is in the trash, and restores or erases it. */
export function InTrash({ node, ask }: { node: Node; ask: (asking: Asking) => void }): JSX.Element | null {
  if (!node.trashed) return null;
  return (
    <Notice
      tone="warn"
      action={isOwn(node) && (
        <div class="actions">
          <Button onClick={() => void restore([node])}>Restore</Button>
          <Button kind="danger" onClick={() => ask("erase")}>Delete permanently</Button>
        </div>
      )}
    >
      This {what(node)} is in the trash.
    </Notice>
  );
}

/** The dialog that a page asks for, if any. */
export function Asked({ node, asking, close }: { node: Node; asking: Asking | undefined; close: () => void }): JSX.Element | null {
  switch (asking) {
    case "rename": return <Rename node={node} close={close} />;
    case "move": return <Move nodes={[node]} close={close} />;
    case "share": return <ShareDialog node={node} close={close} />;
    case "erase": return (
      <Confirm title={`Delete the ${what(node)} permanently?`} verb="Delete permanently" close={close} act={() => {
        void erase([node]).then(() => navigate("/library/trash"));
      }}>
        {isModel(node)
          ? "The model and its report will be deleted. Files with its predictions are kept. You cannot undo this."
          : "The file and everything extracted from it will be deleted. You cannot undo this."}
      </Confirm>
    );
    case undefined: return null;
  }
}
