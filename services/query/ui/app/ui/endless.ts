// A paginated list that updates while it is shown.
import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, message } from "../api/client.js";

export interface Page<T> {
  items: T[];
  cursor: string | undefined;
}

/** Where a page is read: at the start, after the rows that are up to date, or after all rows. */
type Place = "start" | "middle" | "end";

const soon = 300; // ms
const firstPause = 5000, longestPause = 60_000; // ms, before a read is repeated that failed because the server could not be reached
const ahead = 30; // rows that are up to date below the last visible one

/**
 * A change reloads the first page only. The rows below it remain, and are read again page by page when they become
 * visible. One page is read at a time; a request for another one is remembered until then.
 */
export class Endless<T> {
  readonly items: ReadonlySignal<T[]>;
  /** The error of the last read; empty if it succeeded. */
  readonly error: ReadonlySignal<string>;
  /** Whether there are rows, or it is known that there are none. */
  readonly begun: ReadonlySignal<boolean>;
  /** Whether there is more to read. */
  readonly more: ReadonlySignal<boolean>;
  private readonly all = signal<T[]>([]);
  private readonly failed = signal("");
  private readonly started = signal(false);
  private readonly rest = signal(true);
  private fresh = 0; // the number of rows at the start that were read since the last reload
  private middle: string | undefined; // the cursor after these rows
  private end: string | undefined; // the cursor after all rows
  private readonly wanted = new Set<Place>();
  private readonly removed = new Set<string>(); // during the read in progress, whose page may still have these items
  private reading = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private pause = firstPause;
  private blocked = false; // after an error, until it is repeated

  /**
   * read returns the page after a cursor, and key identifies an item. latest chooses between the shown version of an item
   * and the version that was read, which may be older. By default, it chooses the latter.
   */
  constructor(
    private readonly read: (cursor: string | undefined) => Promise<Page<T>>, private readonly key: (item: T) => string,
    private readonly latest: (shown: T, fresh: T) => T = (_, fresh) => fresh,
  ) {
    this.items = this.all;
    this.error = this.failed;
    this.begun = this.started;
    this.more = this.rest;
  }

  /** Reads the next page. */
  readonly next = (): void => this.want("end");

  /** Reads what a view needs that shows the list as far as an item. end states whether the view needs more items. */
  readonly show = (last: T | undefined, end: boolean): void => {
    if (end) this.next();
    const rows = this.all.peek();
    if (last !== undefined && this.fresh < rows.length && this.position(this.key(last)) + ahead >= this.fresh) this.want("middle");
  };

  /** Repeats the read that failed. */
  readonly retry = (): void => {
    this.failed.value = "";
    this.repeat();
  };

  private repeat(): void {
    this.blocked = false;
    void this.run();
  }

  /** Schedules a reload. Repeated calls are merged. */
  refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.refresh();
    }, soon);
  }

  /** Reloads the list. */
  refresh(): void {
    this.wanted.add("start");
    void this.run();
  }

  /** Changes an item of the list. Returns whether the list has it. */
  change(key: string, to: (item: T) => T): boolean {
    const at = this.position(key), item = this.all.peek()[at];
    if (item !== undefined) this.all.value = this.all.peek().with(at, to(item));
    return item !== undefined;
  }

  remove(key: string): void {
    this.removed.add(key);
    const at = this.position(key);
    if (at < 0) return;
    this.all.value = this.all.peek().toSpliced(at, 1);
    if (at < this.fresh) this.fresh--;
    void this.run(); // the list may have no rows now, but more pages
  }

  private position(key: string): number {
    return this.all.peek().findIndex((item) => this.key(item) === key);
  }

  private want(place: Place): void {
    if (this.blocked) return;
    this.wanted.add(place);
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    for (let place = this.choose(); place !== undefined; place = this.choose()) {
      this.wanted.delete(place);
      this.removed.clear();
      try {
        this.put(await this.read({ start: undefined, middle: this.middle, end: this.end }[place]), place);
        this.failed.value = "";
        this.blocked = false;
        this.pause = firstPause;
      } catch (error) {
        this.wanted.add(place); // for retry
        this.failed.value = message(error);
        this.blocked = true;
        if (isTransient(error)) this.repeatLater();
        break;
      }
    }
    this.reading = false;
  }

  private repeatLater(): void {
    clearTimeout(this.again);
    this.again = setTimeout(() => { if (this.blocked) this.repeat(); }, this.pause);
    this.pause = Math.min(2 * this.pause, longestPause);
  }

  /** Returns where to read next. The end comes first, so that frequent changes do not keep the list from growing. */
  private choose(): Place | undefined {
    const reload = this.wanted.has("start");
    if (this.blocked || !this.started.peek() && this.end === undefined) return reload ? "start" : undefined;
    if (this.rest.peek() && (this.wanted.has("end") || this.all.peek().length === 0)) return "end";
    this.wanted.delete("end");
    if (reload) return "start";
    return this.wanted.has("middle") && this.fresh < this.all.peek().length ? "middle" : undefined;
  }

  /** Adds a page to the list, in place of the rows that it supersedes. */
  private put(page: Page<T>, place: Place): void {
    const was = this.all.peek(), at = { start: 0, middle: this.fresh, end: was.length }[place];
    const above = was.slice(0, at), below = was.slice(at);
    const known = new Set(above.map(this.key)), shown = new Map(below.map((item) => [this.key(item), item]));
    const items = page.items.filter((item) => !known.has(this.key(item)) && !this.removed.has(this.key(item))).map((item) => {
      const before = shown.get(this.key(item));
      return before === undefined ? item : this.latest(before, item);
    });
    const read = new Set(items.map(this.key)), last = items.findLast((item) => shown.has(this.key(item)));
    const until = page.cursor === undefined
      ? below.length
      : last === undefined ? 0
      : below.findIndex((item) => this.key(item) === this.key(last)) + 1;
    const kept = below.slice(until).filter((item) => !read.has(this.key(item)));
    if (at <= this.fresh) {
      this.fresh = above.length + items.length;
      this.middle = page.cursor;
    }
    if (kept.length === 0) {
      this.end = page.cursor;
      this.rest.value = page.cursor !== undefined;
    }
    this.all.value = [...above, ...items, ...kept];
    this.started.value ||= this.all.value.length > 0 || !this.rest.value;
  }
}

/** Reports whether a request that is repeated may succeed. */
function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
