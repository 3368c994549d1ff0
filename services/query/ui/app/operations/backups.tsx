import type { JSX } from "preact";
import { ApiError, data } from "../api/client.js";
import { Notice } from "../ui/feedback.js";
import { Bdi, bytes, count, duration, Time } from "../ui/text.js";
import { api, type Schemas } from "./client.js";

export type Backups = Schemas["BackupReport"];
type Result = NonNullable<Backups["last"]>;

let absent = false; // only assay serve has backups

/** Reads the backups of the server, if it has any. */
export async function backups(): Promise<Backups | undefined> {
  if (absent) return undefined;
  try {
    return await api.GET("/v1/backups").then(data);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    absent = true;
    return undefined;
  }
}

const seconds = (r: Result): number => (new Date(r.finished).getTime() - new Date(r.started).getTime()) / 1000;

/** Shows the last backup, and the running one. */
export function LastBackup({ of: { running, last, lastSuccess: done, schedule } }: { of: Backups }): JSX.Element {
  return (
    <section>
      <h2 class="section">Last backup</h2>
      {last?.error !== undefined && (
        <Notice tone="bad">The last backup failed <Time iso={last.finished} />: <Bdi text={last.error} /></Notice>
      )}
      {running && (
        <Notice tone="good">A backup is running: {count(running.files)} files, {bytes(running.bytes)} so far.</Notice>
      )}
      {done ? <Shown done={done} /> : (
        <p class="card soft">
          No backup has been made yet.{" "}
          {schedule ? "The first one follows soon." : "Set ASSAY_BACKUP_TO, or run assay backup."}
        </p>
      )}
    </section>
  );
}

function Shown({ done }: { done: Result }): JSX.Element {
  return (
    <>
      <dl class="numbers">
        <div><dt>Time</dt><dd><Time iso={done.mark ?? done.started} /></dd></div>
        <div><dt>Size</dt><dd>{bytes(done.bytes)}</dd></div>
        <div><dt>Added</dt><dd>{bytes(done.written)}</dd></div>
        <div><dt>Duration</dt><dd>{duration(seconds(done))}</dd></div>
      </dl>
      {done.problems && done.problems.length > 0 && (
        <Notice tone="warn">It contains damaged objects: <Bdi text={done.problems.join("; ")} /></Notice>
      )}
    </>
  );
}
