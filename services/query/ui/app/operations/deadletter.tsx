import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { data, message } from "../api/client.js";
import { navigate, type PageProps } from "../router.js";
import { Button } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Copy, Retry, Trash } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Bdi, count, Time, visible } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { areaName, className } from "./areas.js";
import { api, type Schemas } from "./client.js";
import { usePolled } from "../ui/poll.js";

type Entry = Schemas["DeadLetterView"];

const crumbs = [{ href: "/operations/dead", label: "Dead letters" }];
const every = 60_000; // ms; a dead letter does not change

export default function DeadLetter({ params }: PageProps): JSX.Element {
  const sequence = Number(params["sequence"]);
  const { value, error, again } = usePolled(
    () => api.GET("/v1/dead/{sequence}", { params: { path: { sequence } } }).then(data),
    every, String(sequence),
  );
  const [busy, setBusy] = useState(false), [asks, ask] = useState(false);
  const replay = async (): Promise<void> => {
    setBusy(true);
    try {
      const { results } = await api.POST("/v1/dead/replay", { body: { sequence, max: 1, rate: 1 } }).then(data);
      const result = results[0];
      if (result?.done) {
        toast("The item will be processed again.");
        navigate("/operations/dead");
      } else toast(result?.error ?? `Skipped: ${result?.note ?? "it no longer exists"}`, { bad: result?.error !== undefined });
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setBusy(false);
  };
  const remove = async (): Promise<void> => {
    ask(false);
    try {
      await api.DELETE("/v1/dead/{sequence}", { params: { path: { sequence } } }).then(data);
      toast("Dead letter deleted.");
      navigate("/operations/dead");
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
  };
  return (
    <Page title={`Dead letter ${params["sequence"] ?? ""}`} crumbs={crumbs} actions={value && <>
      <Button kind="primary" icon={Retry} disabled={busy} onClick={() => void replay()}>Replay</Button>
      <Button kind="danger" icon={Trash} onClick={() => ask(true)}>Delete …</Button>
    </>}>
      {value
        ? <Shown entry={value} />
        : error ? <ErrorState title="Could not load the dead letter" error={error} retry={() => void again()} />
        : <Loading what="the dead letter"><Skeleton rows={3} height={120} /></Loading>}
      {asks && (
        <Dialog title="Delete the dead letter?" close={() => ask(false)} footer={<>
          <Button onClick={() => ask(false)}>Cancel</Button>
          <Button kind="danger" icon={Trash} onClick={() => void remove()}>Delete</Button>
        </>}>
          <p>The message will be lost. The item does not change.</p>
        </Dialog>
      )}
    </Page>
  );
}

function Shown({ entry }: { entry: Entry }): JSX.Element {
  const payload = typeof entry.payload === "string" ? entry.payload : JSON.stringify(entry.payload, null, 2);
  return (
    <div class="columns">
      <section class="card">
        <h2>Reason</h2>
        <p class="reason"><Bdi text={entry.reason} /></p>
        <br />
        <dl class="facts">
          <dt>Class</dt><dd>{className(entry.class)}</dd>
          <dt>Area</dt><dd>{areaName(entry.area)}</dd>
          <dt>File</dt><dd>{entry.name ? <Bdi text={entry.name} /> : "–"}</dd>
          <dt>Owner</dt><dd>{entry.owner ? <code>{entry.owner}</code> : "–"}</dd>
          <dt>Consumer</dt><dd><code>{entry.consumer}</code></dd>
          <dt>Item</dt><dd><Item entry={entry} /></dd>
          <dt>Subject</dt><dd><code>{visible(entry.subject)}</code></dd>
          <dt>Event</dt><dd><code>{visible(entry.eventId ?? "–")}</code></dd>
          <dt>Type</dt><dd><code>{visible(entry.type ?? "–")}</code></dd>
          <dt>Attempts</dt><dd>{entry.attempts > 0 ? count(entry.attempts) : "unknown: a sweep restored the dead letter"}</dd>
          {entry.replayOf && <><dt>Follows</dt><dd>a replay of the dead letter {count(entry.replayOf)} that failed</dd></>}
          <dt>Queued</dt><dd><Time iso={entry.first} exact /></dd>
          <dt>Given up</dt><dd><Time iso={entry.last} exact /></dd>
        </dl>
      </section>
      <section class="card">
        <div class="provider-head">
          <h2>Payload</h2>
          <Button kind="quiet" icon={Copy} onClick={() => void copy(payload, "Payload")}>Copy</Button>
        </div>
        <pre class="payload" tabIndex={0} aria-label="Payload" dir="ltr">{payload.split("\n").map(visible).join("\n")}</pre>
      </section>
    </div>
  );
}

/** The id of the item, with the path of the call that reads it. */
function Item({ entry }: { entry: Entry }): JSX.Element {
  const path = entry.path;
  return (
    <>
      <code>{visible(entry.item ?? "–")}</code>
      {path && <>
        <br /><code>{`GET ${path}`}</code>
        <Button kind="quiet" icon={Copy} onClick={() => void copy(path, "Path")}>Copy</Button>
      </>}
    </>
  );
}
