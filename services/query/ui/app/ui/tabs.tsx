import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

export interface Tab {
  key: string;
  label: string;
  content: () => ComponentChildren;
}

/** Tabs of one page; arrow keys change the tab. */
export function Tabs({ label, tabs, chosen, choose }: {
  label: string; tabs: Tab[]; chosen: string; choose: (key: string) => void;
}): JSX.Element {
  const id = useId(), at = Math.max(0, tabs.findIndex((t) => t.key === chosen));
  const keys = (event: KeyboardEvent): void => {
    const back = document.dir === "rtl";
    const to = { ArrowRight: back ? at - 1 : at + 1, ArrowLeft: back ? at + 1 : at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!tab) return;
    event.preventDefault();
    choose(tab.key);
    document.getElementById(`${id}-${tab.key}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={keys}>
        {tabs.map((t, i) => (
          <button
            key={t.key} id={`${id}-${t.key}`} type="button" role="tab" aria-selected={i === at}
            aria-controls={`${id}-panel`} tabIndex={i === at ? 0 : -1} onClick={() => choose(t.key)}
          >
            {t.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tabs[at]?.key ?? ""}`} tabIndex={0}>{tabs[at]?.content()}</div>
    </>
  );
}

/** Selects one of a few options, such as a filter. */
export function Choice<K extends string>({ label, options, chosen, choose }: {
  label: string; options: { key: K; label: string }[]; chosen: K; choose: (key: K) => void;
}): JSX.Element {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map((o) => (
        <button key={o.key} type="button" aria-pressed={o.key === chosen} onClick={() => choose(o.key)}>{o.label}</button>
      ))}
    </div>
  );
}
