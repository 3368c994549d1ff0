// Drag and drop of nodes onto folders of the page.
import type { JSX } from "preact";
import { isOwn, type Node } from "./view.js";
import { moveTo } from "./nodes.js";

const kind = "application/x-assay-nodes";
let dragged: Node[] = [];

export type Props = Pick<JSX.IntrinsicElements["div"], "draggable" | "onDragStart" | "onDragOver" | "onDragLeave" | "onDrop">;

/** Makes an element the drag handle of nodes. */
export function handleOf(nodes: () => Node[]): Props {
  return {
    draggable: true,
    onDragStart: (event) => {
      dragged = nodes();
      event.dataTransfer?.setData(kind, dragged.map((n) => n.id).join());
      if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    },
  };
}

/** Makes an element a drop target for nodes, which are moved to the folder. */
export function targetOf(folder: Node): Props {
  const accepts = (event: DragEvent): boolean =>
    isOwn(folder) && (event.dataTransfer?.types.includes(kind) ?? false) && !dragged.some((n) => n.id === folder.id);
  const mark = (event: DragEvent, on: boolean): void => {
    if (event.currentTarget instanceof Element) event.currentTarget.classList.toggle("drop-target", on);
  };
  return {
    onDragOver: (event) => {
      if (!accepts(event)) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event) => mark(event, false),
    onDrop: (event) => {
      mark(event, false);
      if (!accepts(event)) return;
      event.preventDefault();
      event.stopPropagation();
      void moveTo(dragged, folder);
      dragged = [];
    },
  };
}
