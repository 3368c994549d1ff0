// The keyboard: shortcuts that work on every page, and the dialog that lists them.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { navigate, path } from "../router.js";
import { lazy } from "../ui/lazy.js";
import { openDialog } from "../upload/open.js";

const Help = lazy(() => import("./help.js"));

const items = "main :is(.rows .row, .tiles .tile, .hit, .recent li)"; // of lists
const links = "a.name, a.photo-tile, a";

const typing = (at: EventTarget | null): boolean =>
  at instanceof Element && at.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], dialog") !== null;

const tries = 100; // frames in which a page must have loaded

/** Moves the focus to the search field of the page. A page without one leads to the search in the library. */
function search(): void {
  if (intoField() || path.peek() === "/search") return;
  navigate("/search");
  let left = tries;
  const look = (): void => { if (left-- > 0 && path.peek() === "/search" && !intoField()) requestAnimationFrame(look); };
  requestAnimationFrame(look);
}

function intoField(): boolean {
  const field = [...document.querySelectorAll<HTMLInputElement>("main input[type=search]")].find((f) => f.getClientRects().length > 0);
  field?.focus();
  field?.select();
  return field !== undefined;
}

/** Moves the focus to the next or previous item of the list, or to the first that is visible. */
function move(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(items)].sort((a, b) => { // rows are drawn in any order
    const one = a.getBoundingClientRect(), other = b.getBoundingClientRect();
    return one.top - other.top || one.left - other.left;
  });
  const at = all.findIndex((item) => item.contains(document.activeElement)), top = document.querySelector(".top")?.clientHeight ?? 0;
  const to = at >= 0 ? all[at + by] : all.find((item) => item.getBoundingClientRect().top >= top);
  const link = to?.querySelector<HTMLElement>(links);
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}

export function Keys(): JSX.Element | null {
  const [help, show] = useState(false);
  useEffect(() => {
    const acts: Record<string, () => void> = {
      "/": search, "?": () => show(true), "j": () => move(1), "k": () => move(-1), "u": () => openDialog(),
    };
    const pressed = (event: KeyboardEvent): void => {
      const act = acts[event.key];
      if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target) ||
        document.querySelector("dialog[open]")) {
        return;
      }
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return help ? <Help close={() => show(false)} /> : null;
}
