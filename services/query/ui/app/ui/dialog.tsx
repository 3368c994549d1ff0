import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Close } from "./icon.js";
import { IconButton } from "./button.js";

/** A modal dialog. Escape, the close button and a click outside close it; the focus returns to where it was. */
export function Dialog({ title, close, children, footer, wide }: {
  title: string; close: () => void; children: ComponentChildren; footer?: ComponentChildren; wide?: boolean;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null), id = useId();
  useEffect(() => {
    const before = document.activeElement, dialog = ref.current;
    dialog?.showModal();
    // The browser would focus the close button, which is the first control.
    (ref.current?.querySelector<HTMLElement>("[data-focus]") ?? ref.current?.querySelector<HTMLElement>(".dialog-box"))?.focus();
    return () => {
      dialog?.close(); // elements behind a modal dialog cannot be focused
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref} class={wide ? "dialog wide" : "dialog"} aria-labelledby={id}
      onCancel={(event) => { event.preventDefault(); close(); }}
      onMouseDown={(event) => { if (event.target === ref.current) close(); }}
    >
      <div class="dialog-box" tabIndex={-1}>
        <div class="dialog-head"><h2 id={id}>{title}</h2><IconButton icon={Close} label="Close" onClick={close} /></div>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <div class="dialog-foot">{footer}</div>}
      </div>
    </dialog>
  );
}
