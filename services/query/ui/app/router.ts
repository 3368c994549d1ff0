// Addresses and pages. A link is a plain <a href>; navigate and setQuery change the address from a script.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { entered, fresh, returned, start as startScrolling } from "./scroll.js";

/** The props of a page: the parameters of its route, such as id, and what it shows of other areas. */
export interface PageProps {
  params: Record<string, string>;
  /** The hits of a search in the areas other than shown; absent among the operator's pages. */
  Elsewhere?: ComponentType<{ q: string; shown: string }>;
}

export interface Route {
  /** The pattern of the path, such as /files/:id. */
  path: string;
  /** The title of the page until it sets another one. */
  title: string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

export const path = signal(location.pathname);
export const query = signal(new URLSearchParams(location.search));

function read(): void {
  if (path.peek() !== location.pathname) path.value = location.pathname;
  if (query.peek().toString() !== new URLSearchParams(location.search).toString()) query.value = new URLSearchParams(location.search);
}

/** Navigates to an address of the app. */
export function navigate(to: string, how: { replace?: boolean } = {}): void {
  if (how.replace) history.replaceState(history.state, "", to);
  else {
    history.pushState(fresh(), "", to);
    entered();
  }
  const before = path.peek();
  read();
  if (path.peek() !== before) scrollTo(0, 0);
}

/** Changes parameters of the address; an empty value removes one. Filters are stored here, so that links are permanent. */
export function setQuery(values: Record<string, string>): void {
  const next = new URLSearchParams(query.peek());
  for (const [name, value] of Object.entries(values)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  navigate(path.peek() + (text ? "?" + text : ""), { replace: true });
}

/** Returns the first route that matches a path, with its parameters. */
export function match(routes: Route[], at: string): Match | undefined {
  for (const route of routes) {
    const want = route.path.split("/"), have = at.replace(/(.)\/$/, "$1").split("/");
    if (want.length !== have.length) continue;
    const params: Record<string, string> = {};
    const fits = want.every((part, i) => {
      if (!part.startsWith(":")) return part === have[i];
      try {
        params[part.slice(1)] = decodeURIComponent(have[i] ?? "");
      } catch {
        return false;
      }
      return have[i] !== "";
    });
    if (fits) return { route, params };
  }
  return undefined;
}

/** Makes links within the app navigate without a reload. */
export function start(isOwn: (path: string) => boolean): void {
  startScrolling();
  addEventListener("popstate", () => {
    read();
    returned();
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin || !isOwn(link.pathname)) return;
    event.preventDefault();
    if (link.pathname === location.pathname && link.hash) {
      document.getElementById(link.hash.slice(1))?.focus();
      return;
    }
    navigate(link.pathname + link.search);
  });
}
