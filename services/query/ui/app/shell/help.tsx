// The list of keyboard shortcuts.
import type { JSX } from "preact";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";

const everywhere = [
  ["/", "Search or filter"], ["u", "Upload"], ["j", "Next item of a list"], ["k", "Previous item"], ["Enter", "Open the item"],
  ["?", "Show these shortcuts"], ["Esc", "Close a dialog or a menu"],
];
const library = [
  ["↑ ↓", "Next or previous item; with Shift, select"], ["Ctrl A", "Select all"], ["F2", "Rename"], ["Delete", "Move to the trash"],
  ["Esc", "Clear the selection"],
];

export default function Help({ close }: { close: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" close={close} footer={<Button kind="primary" onClick={close}>Done</Button>}>
      <Keys title="On every page" keys={everywhere} />
      <Keys title="In the library" keys={library} />
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: string[][] }): JSX.Element {
  return (
    <section class="keys">
      <h3>{title}</h3>
      <dl>{keys.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
    </section>
  );
}
