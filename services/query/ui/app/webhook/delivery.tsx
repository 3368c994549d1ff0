// The dialog with a delivery: its attempts and its payload.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Badge } from "../ui/feedback.js";
import { Copy, Retry } from "../ui/icon.js";
import { Bdi, Time, visible } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { replay } from "./replay.js";
import { type Attempt, type Delivery, type Endpoint, resultOf, statuses } from "./view.js";

export function DeliveryDialog({ endpoint, delivery: d, replayed, close }: {
  endpoint: Endpoint; delivery: Delivery; replayed: () => void; close: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false), payload = JSON.stringify(d.payload, null, 2);
  const again = async (): Promise<void> => {
    setBusy(true);
    try {
      await replay(endpoint.id, { eventId: d.eventId });
      toast("The event is sent again.");
      replayed();
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setBusy(false);
  };
  return (
    <Dialog wide title={visible(d.type)} close={close} footer={<>
      <Button icon={Copy} onClick={() => void copy(payload, "Payload")}>Copy payload</Button><span class="grow" />
      <Button
        kind="primary" icon={Retry} disabled={busy || endpoint.state === "disabled"}
        title={endpoint.state === "disabled" ? "Enable the endpoint first" : undefined} onClick={() => void again()}
      >
        {d.status === "pending" ? "Send now" : "Replay"}
      </Button>
    </>}>
      <dl class="facts">
        <dt>Status</dt><dd><Badge tone={statuses[d.status].tone}>{statuses[d.status].label}</Badge></dd>
        {d.nextAttempt && <><dt>Next attempt</dt><dd><Time iso={d.nextAttempt} exact /></dd></>}
        <dt>Event</dt><dd><Time iso={d.timestamp} exact /></dd>
        <dt>webhook-id</dt><dd><code>{visible(d.id)}</code></dd>
      </dl>
      <h3>Attempts</h3>
      {d.attempts.length === 0
        ? <p class="soft">{d.status === "dead" ? "None: the endpoint was disabled." : "None yet."}</p>
        : <ol class="timeline">{d.attempts.toReversed().map((a) => <One key={a.at} attempt={a} />)}</ol>}
      <h3>Payload</h3>
      <pre class="payload" tabIndex={0} aria-label="Payload" dir="ltr">{payload.split("\n").map(visible).join("\n")}</pre>
    </Dialog>
  );
}

function One({ attempt: a }: { attempt: Attempt }): JSX.Element {
  const good = a.httpStatus !== undefined && a.httpStatus >= 200 && a.httpStatus < 300;
  return (
    <li class={good ? "good" : "bad"}>
      <p><Bdi text={resultOf(a)} /> <span class="soft">after {a.durationMs} ms</span></p>
      <Time iso={a.at} exact />
      {a.response && <pre class="response" dir="ltr">{a.response.trim().split("\n").map(visible).join("\n")}</pre>}
    </li>
  );
}
