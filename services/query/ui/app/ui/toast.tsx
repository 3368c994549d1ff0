// Toasts: short messages, some with undo.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Close } from "./icon.js";
import { Button, ButtonLink, IconButton } from "./button.js";
import { visible } from "./text.js";

interface Toast {
  key: number;
  text: string;
  bad: boolean;
  link?: ToastLink;
  undo?: () => void;
  /** Called once, when the toast closes without undo. */
  commit?: () => void;
}

/** What a toast leads to. */
export interface ToastLink { href: string; label: string }

const shownFor = 7000; // ms
const toasts = signal<Toast[]>([]);
let last = 0;

export function toast(text: string, { bad = false, ...how }: { bad?: boolean; link?: ToastLink } = {}): void {
  toasts.value = [...toasts.value, { key: ++last, text: visible(text), bad, ...how }];
}

/** Runs commit when the toast closes, or undo if the user chooses it before that. Leaving the page commits. */
export function undoable(text: string, undo: () => void, commit: () => void): void {
  toasts.value = [...toasts.value, { key: ++last, text: visible(text), bad: false, undo, commit }];
}

function close(closed: Toast, undone = false): void {
  if (!toasts.value.includes(closed)) return;
  toasts.value = toasts.value.filter((t) => t !== closed);
  if (undone) closed.undo?.();
  else closed.commit?.();
}

addEventListener("pagehide", () => { for (const t of [...toasts.value]) close(t); });

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="region" aria-label="Notifications">
      <div role="status" aria-live="polite">{toasts.value.map((t) => <One key={t.key} toast={t} />)}</div>
    </div>
  );
}

function One({ toast: t }: { toast: Toast }): JSX.Element {
  const [held, hold] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => close(t), shownFor);
    return () => clearTimeout(timer);
  }, [held]);
  return (
    <div
      class={t.bad ? "toast bad" : "toast"} onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)} onFocusIn={() => hold(true)} onFocusOut={() => hold(false)}
    >
      <span>{t.text}</span>
      {t.link && <ButtonLink kind="quiet" href={t.link.href} onClick={() => close(t)}>{t.link.label}</ButtonLink>}
      {t.undo && <Button kind="quiet" onClick={() => close(t, true)}>Undo</Button>}
      <IconButton icon={Close} label="Dismiss" onClick={() => close(t)} />
    </div>
  );
}
