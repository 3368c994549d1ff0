// The dialog with the dry run of a rule.
import type { JSX } from "preact";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Badge, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { usePolled } from "../ui/poll.js";
import { Bdi } from "../ui/text.js";
import { actionText, statuses, tryOut } from "./view.js";

const never = 24 * 3600_000; // ms: it is read once

export function Try({ name, close }: { name: string; close: () => void }): JSX.Element {
  const { value: trial, error, again } = usePolled(() => tryOut(name), never, name);
  return (
    <Dialog title={`Dry run of ${name}`} close={close} wide footer={<Button kind="primary" onClick={close}>Close</Button>}>
      <p class="soft">What the rule would do with items that match at the moment. It acts only on items that begin to match later.</p>
      {trial === undefined
        ? error
          ? <ErrorState title="Could not try the rule out" error={error} retry={() => void again()} />
          : <Loading what="the dry run"><Skeleton rows={3} height={40} /></Loading>
        : trial.items.length === 0
        ? <p>No item matches.</p>
        : (
          <ul class="trial">
            {trial.items.map((i) => (
              <li key={`${i.area}/${i.id}`}>
                <strong><Bdi text={i.name} clip /></strong> <span class="soft">{i.area}</span>
                {i.acted && <span class="sub">The rule has acted on it already.</span>}
                {i.entries.map((e, n) => (
                  <span class="sub" key={n}>
                    <Badge tone={statuses[e.status].tone}>{statuses[e.status].label}</Badge> <Bdi text={actionText(e.action)} />
                    {e.detail && <> – <Bdi text={e.detail} /></>}
                  </span>
                ))}
              </li>
            ))}
            {trial.more && <li class="soft">More items match.</li>}
          </ul>
        )}
    </Dialog>
  );
}
