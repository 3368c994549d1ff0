import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface MenuItem {
  label: string;
  icon?: ComponentType;
  /** A link instead of an action. */
  href?: string;
  download?: boolean;
  act?: () => void;
  danger?: boolean;
  disabled?: boolean;
}

/** A button that opens a list of actions; arrow keys move in it. */
export function Menu({ label, button, items, align = "end" }: {
  label: string; button: ComponentChildren; items: MenuItem[]; align?: "start" | "end";
}): JSX.Element {
  const [open, setOpen] = useState(false), box = useRef<HTMLDivElement>(null), opener = useRef<HTMLButtonElement>(null), id = useId();
  const close = (): void => { setOpen(false); opener.current?.focus(); };
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target) && !opener.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const keys = (event: KeyboardEvent): void => {
    const all = [...box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not([aria-disabled=true])") ?? []];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all.at(to % all.length)?.focus();
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") { setOpen(false); return; }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu">
      <button
        ref={opener} type="button" class="icon-button" aria-label={label} title={label}
        aria-haspopup="menu" aria-expanded={open} aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div ref={box} id={id} class={`menu-list ${align}`} role="menu" aria-label={label} onKeyDown={keys}>
          {items.map(({ icon: Icon, ...item }) => item.href !== undefined
            ? (
              <a
                key={item.label} role="menuitem" tabIndex={-1} href={item.href}
                download={item.download} class={item.danger ? "danger" : ""}
                onClick={() => setOpen(false)}
              >
                {Icon && <Icon />}
                {item.label}
              </a>
            )
            : (
              <button
                key={item.label} type="button" role="menuitem" tabIndex={-1}
                aria-disabled={item.disabled} class={item.danger ? "danger" : ""}
                onClick={() => { if (!item.disabled) { close(); item.act?.(); } }}
              >
                {Icon && <Icon />}
                {item.label}
              </button>
            ))}
        </div>
      )}
    </div>
  );
}
