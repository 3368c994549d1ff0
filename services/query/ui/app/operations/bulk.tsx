import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { data, message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Loading, Notice, Skeleton } from "../ui/feedback.js";
import { Retry, Trash } from "../ui/icon.js";
import { Bdi, count, counted } from "../ui/text.js";
import type { Class } from "./areas.js";
import { api, type Schemas } from "./client.js";

export type Kind = "replay" | "drop";
type Result = Schemas["DeadLetterBulkResponse"];

const most = 1000, rate = 200; // dead letters per request, and per second
const shown = 20; // results

/** Replays or deletes the dead letters that match a filter, after a dry run that lists them. */
export function Bulk({ kind, filter, close }: {
  kind: Kind; filter: { consumer?: string; class?: Class; reason?: string }; close: () => void;
}): JSX.Element {
  const [plan, setPlan] = useState<Result | undefined>(), [result, setResult] = useState<Result | undefined>();
  const [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const run = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setError("");
    try {
      const body = { ...filter, dryRun, max: most, rate };
      const call = kind === "replay" ? api.POST("/v1/dead/replay", { body }) : api.POST("/v1/dead/drop", { body });
      const got = await call.then(data);
      if (dryRun) setPlan(got);
      else setResult(got);
    } catch (failed) {
      setError(message(failed));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => { void run(true); }, []);
  const verb = kind === "replay" ? "Replay" : "Delete", n = plan?.results.length ?? 0;
  return (
    <Dialog wide title={`${verb} dead letters`} close={close} footer={result
      ? <Button kind="primary" onClick={close}>Close</Button>
      : (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind={kind === "replay" ? "primary" : "danger"} icon={kind === "replay" ? Retry : Trash}
            disabled={busy || n === 0} onClick={() => void run(false)}
          >
            {busy && plan ? "Working …" : `${verb} ${count(n)}`}
          </Button>
        </>
      )}>
      {error && <Notice tone="bad">{error}</Notice>}
      {result
        ? <Outcome kind={kind} result={result} />
        : plan ? <Plan kind={kind} plan={plan} />
        : !error && <Loading what="the dry run"><Skeleton rows={4} height={32} /></Loading>}
    </Dialog>
  );
}

function Plan({ kind, plan }: { kind: Kind; plan: Result }): JSX.Element {
  return (
    <>
      {kind === "replay" ? (
        <p>
          The items of these dead letters will be processed again, and the dead letters disappear. Items that have recovered or
          failed again since are skipped, and their dead letters remain.
        </p>
      ) : <p>The messages of these dead letters will be lost. Their items do not change.</p>}
      <p><strong>{counted(plan.results.length, "dead letter")}{plan.more && ", and more that need another request"}</strong></p>
      <Results results={plan.results} />
    </>
  );
}

function Outcome({ kind, result }: { kind: Kind; result: Result }): JSX.Element {
  const skipped = result.results.length - result.done - result.failed;
  return (
    <>
      <Notice tone={result.failed > 0 ? "bad" : "good"}>
        {count(result.done)} {kind === "replay" ? "replayed" : "deleted"}, {count(skipped)} skipped, {count(result.failed)} failed.
        {result.more && " There are more; repeat the request."}
      </Notice>
      <Results results={result.results.filter((r) => !r.done)} />
    </>
  );
}

function Results({ results }: { results: Result["results"] }): JSX.Element {
  return (
    <ul class="results" tabIndex={0} aria-label="Dead letters">
      {results.slice(0, shown).map((r) => (
        <li key={r.sequence}>
          <code>{r.consumer}</code> <Bdi text={r.name ?? r.item ?? r.subject} />
          <span class="sub"><Bdi text={r.error ?? r.note ?? r.reason} /></span>
        </li>
      ))}
      {results.length > shown && <li class="soft">… and {count(results.length - shown)} more</li>}
    </ul>
  );
}
