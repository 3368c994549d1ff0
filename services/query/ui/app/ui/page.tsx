import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { path } from "../router.js";
import { Bdi, visible } from "./text.js";

/** The title of a new page for screen readers, unless its heading gets the focus and is therefore read. */
export const announced = signal("");

const first = path.peek();
let left = false; // whether the user has left the page that was loaded first

/** A page with a title, which is also the document title, breadcrumbs, actions and content. */
export function Page({ title, crumbs = [], actions, children, outside, lead, short }: {
  title: string;
  crumbs?: { href: string; label: string }[];
  actions?: ComponentChildren;
  children?: ComponentChildren;
  /** Whether the title is untrusted text, such as a file's name. */
  outside?: boolean;
  /** A line below the title. */
  lead?: ComponentChildren;
  /** Whether the actions fit beside the title on a phone. */
  short?: boolean;
}): JSX.Element {
  useEffect(() => {
    document.title = `${visible(title)} · Assay`;
    left ||= path.peek() !== first;
    if (!left) return;
    // A screen reader continues at the new page.
    const { activeElement: at, body } = document, heading = document.getElementById("title");
    if (at && at !== body && at !== heading) announced.value = visible(title);
    else heading?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      <header class={short ? "page-head short" : "page-head"}>
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
