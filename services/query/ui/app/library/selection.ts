// The selection of rows in a list: with the mouse, with Shift for a range and Ctrl for a single row, or with the keyboard.
import { type ReadonlySignal, signal } from "@preact/signals";

export class Selection {
  readonly ids: ReadonlySignal<ReadonlySet<string>>;
  private readonly chosen = signal<ReadonlySet<string>>(new Set());
  private last: string | undefined;

  constructor() {
    this.ids = this.chosen;
  }

  has(id: string): boolean {
    return this.chosen.value.has(id);
  }

  toggle(id: string): void {
    const next = new Set(this.chosen.peek());
    if (!next.delete(id)) next.add(id);
    this.last = id;
    this.chosen.value = next;
  }

  only(id: string): void {
    this.last = id;
    this.chosen.value = new Set([id]);
  }

  /** Selects the range from the last selected item to this one. */
  range(id: string, order: string[]): void {
    const from = order.indexOf(this.last ?? id), to = order.indexOf(id);
    if (from < 0 || to < 0) {
      this.toggle(id);
      return;
    }
    this.chosen.value = new Set([...this.chosen.peek(), ...order.slice(Math.min(from, to), Math.max(from, to) + 1)]);
  }

  all(order: string[]): void {
    this.chosen.value = new Set(order);
  }

  clear(): void {
    this.last = undefined;
    if (this.chosen.peek().size > 0) this.chosen.value = new Set();
  }
}

/** Keyboard shortcuts in a list of nodes. */
interface Keys {
  order: string[];
  selection: Selection;
  remove?: () => void;
  rename?: () => void;
}

/** Handles a key: arrows move the focus and, with Shift, select a range. Ctrl+A, Escape, Delete and F2 work as in file managers. */
export function listKeys(event: KeyboardEvent, { order, selection, remove, rename }: Keys): void {
  if (!(event.target instanceof HTMLElement) || event.target.closest("input:not([type=checkbox]), [role=menu], dialog")) return;
  const row = event.target.closest<HTMLElement>("[data-id]");
  const step = {
    ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling",
  }[event.key] as "nextElementSibling" | "previousElementSibling" | undefined;
  if (step && row) {
    const next = row[step]?.closest<HTMLElement>("[data-id]");
    next?.querySelector<HTMLElement>("a, input")?.focus();
    if (event.shiftKey && next?.dataset["id"]) selection.range(next.dataset["id"], order);
  } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.all(order);
  else if (event.key === "Escape" && selection.ids.peek().size > 0) selection.clear();
  else if (event.key === "Delete" && remove) {
    if (selection.ids.peek().size === 0 && row?.dataset["id"]) selection.only(row.dataset["id"]);
    remove();
  } else if (event.key === "F2" && rename) {
    if (selection.ids.peek().size === 0 && row?.dataset["id"]) selection.only(row.dataset["id"]);
    rename();
  } else return;
  event.preventDefault();
}

/** Handles a click: with Ctrl it toggles one row, with Shift it selects a range. Returns whether the click was handled. */
export function listClick(event: MouseEvent, order: string[], selection: Selection): boolean {
  if (!(event.target instanceof HTMLElement)) return false;
  const id = event.target.closest<HTMLElement>("[data-id]")?.dataset["id"], box = event.target instanceof HTMLInputElement;
  if (!id || event.target.closest(".menu") || !(event.shiftKey || event.ctrlKey || event.metaKey || box)) return false;
  if (event.shiftKey) selection.range(id, order);
  else selection.toggle(id);
  if (!box) event.preventDefault();
  event.stopPropagation();
  return true;
}
