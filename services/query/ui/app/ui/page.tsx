import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Bdi, visible } from "./text.js";

/** A page with a title, which is also the document title, breadcrumbs, actions and content. */
export function Page({ title, crumbs = [], actions, children, outside, lead }: {
  title: string;
  crumbs?: { href: string; label: string }[];
  actions?: ComponentChildren;
  children?: ComponentChildren;
  /** Whether the title is untrusted text, such as a file's name. */
  outside?: boolean;
  /** A line below the title. */
  lead?: ComponentChildren;
}): JSX.Element {
  useEffect(() => { document.title = `${visible(title)} · Assay`; }, [title]);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {crumbs.length > 0 && (
            <nav class="crumbs" aria-label="Breadcrumbs">
              <ol>{crumbs.map((c) => <li key={c.href}><a href={c.href}><Bdi text={c.label} /></a></li>)}</ol>
            </nav>
          )}
          <h1 id="title" tabIndex={-1}>{outside ? <Bdi text={title} /> : title}</h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
