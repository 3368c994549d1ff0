// A paginated list that updates while it is shown.
import { type ReadonlySignal, signal } from "@preact/signals";
import { message } from "../api/client.js";

export interface Page<T> {
  items: T[];
  cursor: string | undefined;
}

const soon = 300; // ms

export class Endless<T> {
  readonly items: ReadonlySignal<T[]>;
  /** The error of the last read; empty if it succeeded. */
  readonly error: ReadonlySignal<string>;
  /** Whether the first page has been read. */
  readonly begun: ReadonlySignal<boolean>;
  /** Whether there is more to read. */
  readonly more: ReadonlySignal<boolean>;
  private readonly all = signal<T[]>([]);
  private readonly failed = signal("");
  private readonly started = signal(false);
  private readonly rest = signal(true);
  private cursor: string | undefined;
  private reading = false;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

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

  /** Reads the next page, unless a read is in progress. */
  readonly next = async (): Promise<void> => {
    if (this.reading || !this.rest.peek() || this.failed.peek() !== "") return;
    this.reading = true;
    const turn = this.turn;
    try {
      const page = await this.read(this.cursor);
      if (turn !== this.turn) return;
      this.append(page);
    } catch (error) {
      if (turn === this.turn) this.failed.value = message(error);
    } finally {
      if (turn === this.turn) this.reading = false;
    }
  };

  /** Reads the next page after an error. */
  readonly retry = (): void => {
    this.failed.value = "";
    void this.next();
  };

  /** Schedules a reload of the first page. Repeated calls are merged. */
  refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, soon);
  }

  /** Reloads the first page. The remaining rows are kept if the page overlaps the list, and discarded otherwise. */
  async refresh(): Promise<void> {
    const turn = ++this.turn;
    this.reading = true;
    try {
      const page = await this.read(undefined);
      if (turn !== this.turn) return;
      this.failed.value = "";
      const was = this.all.peek(), shown = new Map(was.map((item) => [this.key(item), item]));
      page.items = page.items.map((item) => {
        const before = shown.get(this.key(item));
        return before === undefined ? item : this.latest(before, item);
      });
      const fresh = new Set(page.items.map(this.key));
      const overlap = was.findIndex((item) => fresh.has(this.key(item)));
      const lastFresh = page.items.at(-1);
      if (page.cursor !== undefined && overlap >= 0 && lastFresh !== undefined) {
        const until = was.findIndex((item) => this.key(item) === this.key(lastFresh));
        this.all.value = [...page.items, ...until < 0 ? [] : was.slice(until + 1)];
        if (until < 0) this.cursor = page.cursor;
      } else {
        this.all.value = page.items;
        this.cursor = page.cursor;
        this.rest.value = page.cursor !== undefined;
      }
      this.started.value = true;
    } catch (error) {
      if (turn === this.turn) this.failed.value = message(error);
    } finally {
      if (turn === this.turn) this.reading = false;
    }
  }

  /** Changes an item of the list. Returns whether the list has it. */
  change(key: string, to: (item: T) => T): boolean {
    const was = this.all.peek(), at = was.findIndex((item) => this.key(item) === key), item = was[at];
    if (item !== undefined) this.all.value = was.with(at, to(item));
    return item !== undefined;
  }

  remove(key: string): void {
    this.all.value = this.all.peek().filter((item) => this.key(item) !== key);
  }

  private append(page: Page<T>): void {
    const have = new Set(this.all.peek().map(this.key));
    this.all.value = [...this.all.peek(), ...page.items.filter((item) => !have.has(this.key(item)))];
    this.cursor = page.cursor;
    this.rest.value = page.cursor !== undefined;
    this.started.value = true;
  }
}
