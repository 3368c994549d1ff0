// Notices about endpoints that Assay has disabled.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { message } from "../api/client.js";
import { session } from "../api/identity.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Notice } from "../ui/feedback.js";
import { Bdi } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { enable, type Endpoint, listEndpoints, titleOf, wasDisabled } from "./view.js";

/** A line about each disabled endpoint of the owner, for the start page. */
export function DisabledEndpoints(): JSX.Element {
  const [all, setAll] = useState<Endpoint[]>([]);
  useEffect(() => {
    if (session.value === "out") return;
    listEndpoints().then(setAll, () => undefined); // the page is usable without it
  }, []);
  return <>{all.filter(wasDisabled).map((e) => (
    <Notice key={e.id} tone="bad" action={<ButtonLink href={`/webhooks/${e.id}`}>Show</ButtonLink>}>
      The webhook endpoint <Bdi text={titleOf(e)} /> is disabled: {e.reason}.
    </Notice>
  ))}</>;
}

/** A line about a disabled endpoint, with a button that enables it. */
export function Disabled({ endpoint: e, enabled, named }: {
  endpoint: Endpoint; enabled: (e: Endpoint) => void; named?: boolean;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    setBusy(true);
    try {
      enabled(await enable(e.id, true));
      toast("Endpoint enabled. Replay the events that it has missed.");
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setBusy(false);
  };
  return (
    <Notice tone={wasDisabled(e) ? "bad" : "neutral"} action={<Button disabled={busy} onClick={() => void act()}>Enable</Button>}>
      {named ? <><Bdi text={titleOf(e)} /> is disabled</> : "The endpoint is disabled"}: {e.reason}. Events are listed, but not sent.
    </Notice>
  );
}
