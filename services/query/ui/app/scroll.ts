// The scroll position of each entry of the history. It is restored when the user goes back or forward, or reloads the page.
const stored = "assay-scroll", kept = 100; // entries
const within = 5000; // ms, in which a page must have loaded enough content for its position
const steady = 3; // frames for which the position must hold, because the page may be replaced in the first of them

let entry = "";
let restoring = 0; // the number of the current restoration; 0 for none
let last = 0;
const positions = new Map<string, number>();

const idOf = (state: unknown): string => typeof state === "object" && state !== null && "entry" in state ? String(state.entry) : "";

/** Returns the state of a new entry. */
export function fresh(): { entry: string } {
  return { entry: `${Date.now().toString(36)}-${++last}` };
}

/** Begins an entry that was pushed: the page is at its top. */
export function entered(): void {
  restoring = 0;
  entry = idOf(history.state);
}

/** Returns to the position of the entry that the history has gone to. */
export function returned(): void {
  entry = idOf(history.state);
  restore(positions.get(entry) ?? 0);
}

function restore(to: number): void {
  const mine = restoring = ++last, end = performance.now() + within;
  let held = 0;
  const step = (): void => {
    if (mine !== restoring) return;
    const room = document.documentElement.scrollHeight - innerHeight;
    scrollTo(0, Math.min(to, room));
    held = room >= to ? held + 1 : 0;
    if (held >= steady || performance.now() > end) restoring = 0;
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Remembers the positions from now on, and restores that of a page that was reloaded. */
export function start(): void {
  history.scrollRestoration = "manual";
  try {
    for (const [id, at] of JSON.parse(sessionStorage.getItem(stored) ?? "[]") as [string, number][]) positions.set(id, at);
  } catch { /* the browser does not allow storage */ }
  if (idOf(history.state) === "") history.replaceState(fresh(), "");
  entry = idOf(history.state);
  addEventListener("scroll", () => { if (restoring === 0) positions.set(entry, scrollY); }, { passive: true });
  // A user who scrolls while the page loads is not moved.
  for (const name of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(name, () => { restoring = 0; }, { passive: true });
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(stored, JSON.stringify([...positions].slice(-kept)));
    } catch { /* the browser does not allow storage */ }
  });
  if (positions.has(entry)) restore(positions.get(entry) ?? 0);
}
