// The queue of uploads since the page was loaded, and those that an earlier page did not finish.
import { computed, signal, type Signal } from "@preact/signals";
import { message } from "../api/client.js";
import { owner, randomId } from "../api/identity.js";
import { type Outcome, outcomes } from "../api/live.js";
import type { Progress } from "./parts.js";
import { type Receiver, receivers } from "./receivers.js";
import type { Ended, Sent, Target, Transfer } from "./target.js";
import { forget, page, remember, type Unfinished } from "./unfinished.js";

/** lost: an earlier page did not finish it; its file must be chosen again. */
export type State = "lost" | "queued" | "sending" | "paused" | "processing" | "completed" | "failed" | "error";

export interface Item {
  key: number;
  file: { readonly name: string; readonly size: number };
  area: Receiver;
  state: Signal<State>;
  progress: Signal<Progress>;
  /** The error or the result. */
  text: Signal<string>;
  sent: Signal<Sent | undefined>;
  /** What is remembered of the upload until it ends. */
  record: Unfinished;
}

/** A dropped file with the path of its folders, and a handle if the browser has one. */
export interface Dropped {
  file: File;
  folders: string[];
  handle?: FileSystemFileHandle;
}

interface Job {
  item: Item;
  file: File;
  batch: () => Promise<unknown>;
  transfer?: Transfer<Sent>;
  stop?: () => void;
}

const parallel = 3; // maximum number of concurrent transfers
const remembered = 500; // outcomes, which can arrive before the response to the upload

export const items = signal<Item[]>([]);
/** Whether the tray is shown. */
export const trayOpen = signal(false);

/** The last item that the server accepted, so that lists can show it immediately. */
export const accepted = signal<{ area: string; id: string } | undefined>(undefined);

const active: State[] = ["queued", "sending", "paused"];
const first: State[] = ["error", "failed", "lost"];

/** The uploads in the order in which they are listed: those that need the user come first. */
export const listed = computed(() => [...items.value].sort((a, b) =>
  Number(first.includes(b.state.value)) - Number(first.includes(a.state.value))));
export const counts = computed(() => {
  const by = { active: 0, processing: 0, ended: 0, error: 0, lost: 0, sent: 0, total: 0 };
  for (const { state, progress } of items.value) {
    if (state.value === "lost") {
      by.lost++;
      continue;
    }
    if (active.includes(state.value)) by.active++;
    else if (state.value === "processing") by.processing++;
    else by.ended++;
    if (state.value === "error" || state.value === "failed") by.error++;
    by.total += progress.value.total;
    by.sent += active.includes(state.value) || state.value === "error" ? progress.value.sent : progress.value.total;
  }
  return by;
});

const jobs = new Map<number, Job>();
const seen = new Map<string, { kind: string; outcome: Outcome }>();
let last = 0;
let following = false;

/** Uploads files to an area, with the options of their batch. */
export function add(area: Receiver, dropped: Dropped[], options: unknown): void {
  follow();
  let begun: Promise<unknown> | undefined;
  const files = dropped.map((d) => d.file);
  const begin = (): Promise<unknown> => area.upload.begin?.(files, options) ?? Promise.resolve(options);
  const batch = (): Promise<unknown> => begun ??= begin().catch((error: unknown) => {
    begun = undefined; // a retry begins again
    throw error;
  });
  const added = dropped.map(({ file, folders, handle }) => {
    const before = lostOf(file, area);
    if (before) items.value = items.value.filter((other) => other !== before);
    const record: Unfinished = {
      key: randomId(), folders, options, area: area.name, owner: owner.peek(), addedAt: Date.now(), ...before?.record, page,
      name: file.name, size: file.size, lastModified: file.lastModified, ...handle ? { handle } : {},
    };
    const item = itemOf(area, file, "queued", record);
    jobs.set(item.key, { item, file, batch });
    return item;
  });
  remember(added.map((item) => item.record));
  items.value = [...added, ...items.value];
  trayOpen.value = !matchMedia("(max-width: 640px)").matches; // on a phone it would cover the page
  next();
}

function itemOf(area: Receiver, file: Item["file"], state: State, record: Unfinished): Item {
  return {
    key: ++last, file, area, state: signal<State>(state), text: signal(""), sent: signal(undefined), record,
    progress: signal<Progress>({ sent: 0, total: file.size, bytesPerSecond: 0, secondsLeft: undefined }),
  };
}

/** The upload of a file that an earlier page did not finish, if there is one. */
function lostOf(file: File, area?: Receiver): Item | undefined {
  return items.peek().find(({ state, record, area: of }) => state.peek() === "lost" && (!area || of.name === area.name) &&
    record.name === file.name && record.size === file.size && record.lastModified === file.lastModified);
}

/** Lists uploads that an earlier page did not finish. */
export function restore(all: Unfinished[]): void {
  const lost = all.flatMap((record) => {
    const area = receivers.peek().find((r) => r.name === record.area);
    return area ? [itemOf(area, record, "lost", record)] : [];
  });
  if (lost.length === 0) return;
  items.value = [...items.value, ...lost];
  trayOpen.value ||= !matchMedia("(max-width: 640px)").matches;
}

/** Continues the uploads of files that were chosen again. Returns the files that are none of them. */
export function continueWith(files: Omit<Dropped, "folders">[]): File[] {
  return files.flatMap(({ file, handle }) => {
    const item = lostOf(file);
    if (!item) return [file];
    add(item.area, [{ file, folders: item.record.folders, ...handle ? { handle } : {} }], item.record.options);
    return [];
  });
}

function next(): void {
  const all = [...jobs.values()];
  let free = parallel - all.filter((job) => job.item.state.peek() === "sending").length;
  for (const job of all) {
    if (free <= 0) return;
    if (job.item.state.peek() === "queued") {
      free--;
      void run(job);
    }
  }
}

async function run(job: Job): Promise<void> {
  const { item } = job;
  item.state.value = "sending";
  item.text.value = "";
  try {
    const batch = await job.batch();
    if (!jobs.has(item.key) || item.state.peek() !== "sending") return; // canceled or paused in the meantime
    job.transfer = item.area.upload.start({
      file: job.file, folders: item.record.folders, idempotencyKey: item.record.key, batch,
      onProgress: (progress) => { item.progress.value = progress; },
      onReserved: (id) => {
        item.record.id = id;
        if (jobs.has(item.key)) remember([item.record]);
      },
    });
    const sent = await job.transfer.promise;
    forget(item.record.key);
    item.sent.value = sent;
    accepted.value = { area: item.area.name, id: sent.id };
    item.state.value = "processing";
    await processing(job, sent.id);
  } catch (error) {
    if (!jobs.has(item.key)) return;
    if (isRefusal(error)) forget(item.record.key); // another page would not get another answer
    item.state.value = "error";
    item.text.value = message(error);
  } finally {
    next();
  }
}

function isRefusal(error: unknown): boolean {
  const { problem } = error as { problem?: { status?: number } }, status = problem?.status ?? 0;
  return status >= 400 && status < 500;
}

async function processing(job: Job, id: string): Promise<void> {
  const { item } = job, { upload, name } = item.area;
  if (upload.follow) {
    job.stop = upload.follow(id, (how) => end(job, how));
    return;
  }
  const early = seen.get(`${name}:${id}`);
  if (early) end(job, ended(upload, early.kind, early.outcome));
  // Without live events, the item is read now, and again when they resume.
  else if (outcomes.connection.peek() !== "live") await check(job);
}

async function check(job: Job): Promise<void> {
  const id = job.item.sent.peek()?.id;
  if (id === undefined || job.item.state.peek() !== "processing") return;
  // An item that cannot be read is read again at the next reset.
  const how = await job.item.area.upload.check(id).catch(() => undefined);
  if (how) end(job, how);
}

function ended(target: Target, kind: string, outcome: Outcome): Ended {
  if (kind === "failed") return { ok: false, text: (target.reason?.(outcome) ?? outcome.errorMessage) || "The analysis failed." };
  return { ok: true, text: target.summary?.(outcome) ?? "" };
}

function end(job: Job, how: Ended): void {
  job.stop?.();
  if (job.item.state.peek() !== "processing") return;
  job.item.text.value = how.text;
  job.item.state.value = how.ok ? "completed" : "failed";
}

// Starts following the outcomes, at the first upload, and asks before the page is left while something is sent.
function follow(): void {
  if (following) return;
  following = true;
  addEventListener("beforeunload", (event) => { if (counts.peek().active > 0) event.preventDefault(); });
  outcomes.follow({
    event: (kind, data) => {
      if (kind !== "completed" && kind !== "failed") return;
      const outcome = data as Outcome;
      seen.set(`${outcome.area}:${outcome.id}`, { kind, outcome });
      for (const oldest of seen.keys()) {
        if (seen.size <= remembered) break;
        seen.delete(oldest);
      }
      for (const job of jobs.values()) {
        if (job.item.area.name === outcome.area && job.item.sent.peek()?.id === outcome.id && !job.item.area.upload.follow) {
          end(job, ended(job.item.area.upload, kind, outcome));
        }
      }
    },
    reset: () => { for (const job of jobs.values()) if (!job.item.area.upload.follow) void check(job); },
  });
}

export function pause(item: Item): void {
  const job = jobs.get(item.key);
  if (item.state.peek() === "sending" && job?.transfer) job.transfer.pause();
  else if (item.state.peek() !== "queued") return;
  item.state.value = "paused";
  next();
}

export function resume(item: Item): void {
  const job = jobs.get(item.key);
  if (item.state.peek() !== "paused" || !job) return;
  if (job.transfer) {
    item.state.value = "sending";
    job.transfer.resume();
  } else {
    item.state.value = "queued";
    next();
  }
}

export function retry(item: Item): void {
  const job = jobs.get(item.key);
  if (item.state.peek() !== "error" || !job) return;
  delete job.transfer;
  remember([item.record]);
  item.state.value = "queued";
  next();
}

/** Cancels an upload, or removes one that has ended from the list. Discards what an earlier page has sent. */
export function remove(item: Item): void {
  const job = jobs.get(item.key), state = item.state.peek();
  jobs.delete(item.key);
  job?.stop?.();
  if (active.includes(state)) job?.transfer?.cancel();
  forget(item.record.key);
  // If this fails, a sweep deletes the reservation later.
  if (state === "lost" && item.record.id !== undefined) item.area.upload.discard?.(item.record.id).catch(() => undefined);
  items.value = items.value.filter((other) => other !== item);
  next();
}

/** Removes finished uploads from the list. */
export function clearEnded(): void {
  for (const item of items.value) if (["completed", "failed", "error"].includes(item.state.peek())) remove(item);
}
