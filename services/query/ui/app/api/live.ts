// Live events: one EventSource for each stream, shared by all its followers.
//
// A stream resumes automatically after a lost connection, with the id of its last event. If that is not possible, for
// example after an error response or while the page was hidden, followers reload.
import { type ReadonlySignal, signal } from "@preact/signals";
import { identityQuery, session, verify } from "./identity.js";

type Connection = "connecting" | "live" | "reconnecting";

/** An outcome: the JSON of AnalysisCompleted or AnalysisFailed. */
export interface Outcome {
  area: string;
  id: string;
  name?: string;
  completedAt?: string;
  failedAt?: string;
  errorMessage?: string;
  errorCode?: string;
}

interface Follower {
  /** Called with each event: its kind, such as completed or failed, and its data. */
  event?: (kind: string, data: unknown) => void;
  /** Called when events may have been missed, so that everything must be read again. Also called when the stream begins. */
  reset?: () => void;
}

/** Whether the browser has a connection to a network. */
export const online = signal(navigator.onLine);
for (const name of ["online", "offline"]) addEventListener(name, () => { online.value = navigator.onLine; });

/** How often a lost connection has come back: that of the browser to a network, or that of a stream to the server. */
export const reconnected = signal(0);
addEventListener("online", () => {
  reconnected.value++;
  setTimeout(() => { reconnected.value++; }, settled); // for what still failed
});

const settled = 3000; // ms, after which a network that is back can be expected to work
const reopenAfter = 3000; // ms, after a response that a browser does not retry
const openWithin = 15_000; // ms, after which an attempt to connect is replaced by a new one
const hiddenFor = 30_000; // ms, after which a hidden page closes its streams: browsers limit the connections to a server

export class Stream {
  readonly connection: ReadonlySignal<Connection>;
  private readonly state = signal<Connection>("connecting");
  private readonly followers = new Set<Follower>();
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly kinds: string[];

  /** visitors tells whether a visitor without a credential, who has a share link, may read the stream. */
  constructor(private readonly url: () => string, kinds: string[], private readonly visitors = false) {
    this.connection = this.state;
    this.kinds = kinds;
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.timer);
      if (document.hidden) this.timer = setTimeout(() => this.close(), hiddenFor);
      else if (this.followers.size > 0 && !this.source) this.open();
    });
    // A page that was left can stay in memory, for the way back, and its streams would take the connections of the next page.
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", ({ persisted }) => { if (persisted && this.followers.size > 0) this.open(); });
    addEventListener("online", () => {
      if (this.followers.size === 0) return;
      if (this.state.value !== "live") this.open();
      else this.each((f) => f.reset?.()); // the stream survived, but reads may have failed
    });
  }

  /** Follows the stream until the returned function is called. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    if (!this.source) this.open();
    return () => {
      this.followers.delete(follower);
      if (this.followers.size === 0) this.close();
    };
  }

  private open(): void {
    this.close();
    if (session.peek() === "out" && !this.visitors) return; // a page of a share link
    const source = new EventSource(this.url());
    this.source = source;
    const reopen = (after: number): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.open(), after);
    };
    reopen(openWithin);
    source.onopen = () => {
      clearTimeout(this.timer);
      if (this.state.value === "reconnecting") reconnected.value++;
      this.state.value = "live";
    };
    source.onerror = () => {
      this.state.value = "reconnecting";
      // The browser reconnects automatically, unless the response was an error.
      if (source.readyState === EventSource.CLOSED) void verify();
      reopen(source.readyState === EventSource.CLOSED ? reopenAfter : openWithin);
    };
    for (const kind of ["ready", "resync"]) source.addEventListener(kind, () => this.each((f) => f.reset?.()));
    for (const kind of this.kinds) {
      source.addEventListener(kind, (event) => {
        const data: unknown = JSON.parse((event as MessageEvent<string>).data);
        this.each((f) => f.event?.(kind, data));
      });
    }
  }

  private close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }

  private each(call: (follower: Follower) => void): void {
    for (const follower of [...this.followers]) call(follower);
  }
}

/** The outcomes of the owner's items in all areas: completed and failed, with an Outcome. node and progress are events of the library. */
export const outcomes = new Stream(
  () => "/v1/events?" + new URLSearchParams(identityQuery()).toString(), ["completed", "failed", "node", "progress"],
);

/** Follows the outcomes of one area. */
export function followArea(area: string, outcome: (kind: "completed" | "failed", data: Outcome) => void, reset: () => void): () => void {
  return outcomes.follow({
    event: (kind, data) => {
      const result = data as Outcome;
      if (kind !== "completed" && kind !== "failed") return;
      if (result.area === area) outcome(kind, result);
    },
    reset,
  });
}
