// Dialogs that ask for the input or the confirmation of an action.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { message } from "../api/client.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";

/** A dialog with a form. If the action fails, it stays open and shows the error. With stays, it does not close by itself. */
export function Ask({ title, verb, close, act, ready, wide, stays, children }: {
  title: string; verb: string; close: () => void; act: () => Promise<unknown>; ready: boolean; wide?: boolean; stays?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await act();
      if (!stays) close();
    } catch (failed) {
      setError(message(failed));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close} {...wide ? { wide } : {}} footer={<>
      <Button onClick={() => close()}>Cancel</Button>
      <Button kind="primary" type="submit" form="ask" disabled={!ready || busy}>{verb}</Button>
    </>}>
      <form id="ask" class="ask" onSubmit={(event) => { event.preventDefault(); if (ready && !busy) void submit(); }}>{children}</form>
      {error && <p class="wrong" role="alert">{error}</p>}
    </Dialog>
  );
}

/** Asks for confirmation of an action that cannot be undone, or has the kind primary. */
export function Confirm({ title, verb, close, act, kind = "danger", children }: {
  title: string; verb: string; close: () => void; act: () => void; kind?: "danger" | "primary"; children: ComponentChildren;
}): JSX.Element {
  return (
    <Dialog title={title} close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind={kind} onClick={() => { close(); act(); }}>{verb}</Button>
    </>}>
      <p>{children}</p>
    </Dialog>
  );
}
