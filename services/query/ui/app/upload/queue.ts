// The queue of uploads since the page was loaded.
import { computed, signal, type Signal } from "@preact/signals";
import { message } from "../api/client.js";
import { randomId } from "../api/identity.js";
import { type Outcome, outcomes } from "../api/live.js";
import type { Progress } from "./parts.js";
import type { Receiver } from "./receivers.js";
import type { Ended, Sent, Target, Transfer } from "./target.js";

export type State = "queued" | "sending" | "paused" | "processing" | "completed" | "failed" | "error";

export interface Item {
  key: number;
  file: File;
  folders: string[];
  area: Receiver;
  state: Signal<State>;
  progress: Signal<Progress>;
  /** The error or the result. */
  text: Signal<string>;
  sent: Signal<Sent | undefined>;
}

/** A dropped file with the path of its folders. */
export interface Dropped {
  file: File;
  folders: string[];
}

interface Job {
  item: Item;
  idempotencyKey: string;
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
export const counts = computed(() => {
  const by = { active: 0, processing: 0, ended: 0, error: 0, sent: 0, total: 0 };
  for (const { state, progress } of items.value) {
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
  const added = dropped.map(({ file, folders }) => {
    const item: Item = {
      key: ++last, file, folders, area, state: signal<State>("queued"), text: signal(""), sent: signal(undefined),
      progress: signal<Progress>({ sent: 0, total: file.size, bytesPerSecond: 0, secondsLeft: undefined }),
    };
    jobs.set(item.key, { item, idempotencyKey: randomId(), batch });
    return item;
  });
  items.value = [...added, ...items.value];
  trayOpen.value = !matchMedia("(max-width: 640px)").matches; // on a phone it would cover the page
  next();
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
      file: item.file, folders: item.folders, idempotencyKey: job.idempotencyKey, batch,
      onProgress: (progress) => { item.progress.value = progress; },
    });
    const sent = await job.transfer.promise;
    item.sent.value = sent;
    accepted.value = { area: item.area.name, id: sent.id };
    item.state.value = "processing";
    await processing(job, sent.id);
  } catch (error) {
    if (!jobs.has(item.key)) return;
    item.state.value = "error";
    item.text.value = message(error);
  } finally {
    next();
  }
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
  if (kind === "failed") return { ok: false, text: outcome.errorMessage ?? "The analysis failed." };
  return { ok: true, text: target.summary?.(outcome) ?? "" };
}

function end(job: Job, how: Ended): void {
  job.stop?.();
  if (job.item.state.peek() !== "processing") return;
  job.item.text.value = how.text;
  job.item.state.value = how.ok ? "completed" : "failed";
}

// Starts following the outcomes, at the first upload.
function follow(): void {
  if (following) return;
  following = true;
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
  item.state.value = "queued";
  next();
}

/** Cancels an upload, or removes one that has ended from the list. */
export function remove(item: Item): void {
  const job = jobs.get(item.key);
  jobs.delete(item.key);
  job?.stop?.();
  if (active.includes(item.state.peek())) job?.transfer?.cancel();
  items.value = items.value.filter((other) => other !== item);
  next();
}

/** Removes finished uploads from the list. */
export function clearEnded(): void {
  for (const item of items.value) if (["completed", "failed", "error"].includes(item.state.peek())) remove(item);
}
