// Items that the user has deleted. The server deletes an item only when the toast with the undo button closes.
import { type ReadonlySignal, signal } from "@preact/signals";
import { message } from "../api/client.js";
import { identityHeaders } from "../api/identity.js";
import { toast, undoable } from "./toast.js";

export class Deletions {
  /** The ids of items that are deleted or will be. */
  readonly ids: ReadonlySignal<ReadonlySet<string>>;
  private readonly all = signal<ReadonlySet<string>>(new Set());

  constructor() {
    this.ids = this.all;
  }

  /** Hides an item and deletes it at a URL unless the user chooses undo. */
  remove(id: string, name: string, url: string): void {
    this.all.value = new Set([...this.all.value, id]);
    const back = (): void => { this.all.value = new Set([...this.all.value].filter((other) => other !== id)); };
    undoable(`Deleted ${name}.`, back, () => {
      // keepalive: the user may be leaving the page.
      fetch(url, { method: "DELETE", headers: identityHeaders(), keepalive: true }).then((response) => {
        if (!response.ok) throw new Error(`${name} could not be deleted (${response.status}).`);
      }).catch((error: unknown) => {
        back();
        toast(message(error), { bad: true });
      });
    });
  }
}
