// The parts of a browser that the tested modules use. A test imports this module before them.

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** Waits until everything that can happen without another event has happened. */
export function settled(): Promise<void> {
  return new Promise((done) => { setImmediate(done); });
}

// Timers run only when a test says so.
let timers = new Map<number, () => void>();
let lastTimer = 0;
define("setTimeout", (run: () => void) => {
  timers.set(++lastTimer, run);
  return lastTimer;
});
define("clearTimeout", (timer: number) => { timers.delete(timer); });

/** Runs the timers that are set. Returns their number. */
export function runTimers(): number {
  const due = timers;
  timers = new Map();
  for (const run of due.values()) run();
  return due.size;
}

const stored = new Map<string, string>();
define("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => { stored.set(key, value); },
});

const page = new EventTarget();
define("addEventListener", page.addEventListener.bind(page));
define("navigator", { onLine: true });
define("matchMedia", () => ({ matches: false }));
define("BroadcastChannel", class { postMessage(): void { /* there are no other pages */ } });

/** Which element has the focus: its id. */
export const focus = { at: "" };
const documentEvents = new EventTarget();
define("document", {
  cookie: "", hidden: false,
  addEventListener: documentEvents.addEventListener.bind(documentEvents),
  getElementById: (id: string) => ({ focus: () => { focus.at = id; } }),
  documentElement: { get scrollHeight() { return scrolled.height; } },
});

/** The page: how many times a script scrolled it, and the height of its content and of the window in px. */
export const scrolled = { times: 0, height: 0 };
const windowHeight = 100;
define("innerHeight", windowHeight);
define("scrollY", 0);
const scroll = (to: number): void => {
  define("scrollY", Math.max(0, Math.min(to, scrolled.height - windowHeight)));
  page.dispatchEvent(new Event("scroll"));
};
define("scrollTo", (_: number, to: number) => { scrolled.times++; scroll(to); });

/** Scrolls as a user does. */
export function scrollByUser(to: number): void {
  page.dispatchEvent(new Event("wheel"));
  scroll(to);
}

let frames: (() => void)[] = [];
define("requestAnimationFrame", (run: () => void) => { frames.push(run); });

/** Draws the page once. */
export function runFrame(): void {
  const due = frames;
  frames = [];
  for (const run of due) run();
}

const origin = "https://assay.example";
interface Entry { url: URL; state: unknown }
const entries: Entry[] = [{ url: new URL("/", origin), state: null }];
let at = 0;
const go = (by: number): void => {
  if (entries[at + by] === undefined) throw new Error("there is no such entry");
  at += by;
  page.dispatchEvent(new Event("popstate"));
};
define("location", {
  origin, protocol: "https:",
  get pathname() { return entries[at]?.url.pathname; },
  get search() { return entries[at]?.url.search; },
});
define("history", {
  get state() { return entries[at]?.state; },
  pushState: (state: unknown, _: string, to: string) => { entries.splice(++at, Infinity, { url: new URL(to, origin), state }); },
  replaceState: (state: unknown, _: string, to?: string) => {
    entries[at] = { url: to === undefined ? entries[at]?.url ?? new URL(origin) : new URL(to, origin), state };
  },
  back: () => go(-1),
  forward: () => go(1),
  get length() { return entries.length; },
});

define("Element", class { /* FakeLink is one */ });

/** A link, which contains the element that is clicked. */
export class FakeLink extends Element {
  target = "";
  origin: string;
  pathname: string;
  search: string;
  hash: string;

  constructor(to: string, private readonly download = false) {
    super();
    ({ origin: this.origin, pathname: this.pathname, search: this.search, hash: this.hash } = new URL(to, origin));
  }

  override closest = (): null => this as unknown as null;
  override hasAttribute = (name: string): boolean => name === "download" && this.download;
}

/** Clicks an element. Returns whether the browser would follow the link. */
export function click(element: Element, how: { button?: number; ctrlKey?: boolean; metaKey?: boolean } = {}): boolean {
  const event = Object.assign(new Event("click", { cancelable: true }), { button: 0, ...how });
  Object.defineProperty(event, "target", { value: element });
  return documentEvents.dispatchEvent(event);
}

/** A stream of events, which a test sends. */
export class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  static open: FakeEventSource[] = [];
  readyState = 1;
  onopen: () => void = () => { /* set by Stream */ };
  onerror: () => void = () => { /* set by Stream */ };

  constructor(readonly url: string) {
    super();
    FakeEventSource.open.push(this);
  }

  send(kind: string, data: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
  }

  close(): void {
    FakeEventSource.open = FakeEventSource.open.filter((other) => other !== this);
  }
}
define("EventSource", FakeEventSource);
