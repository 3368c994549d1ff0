// The processing steps of a file, with their results, durations and engines.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message, type Schemas } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, ProgressBar, Skeleton, type Tone } from "../ui/feedback.js";
import { Clock, Retry } from "../ui/icon.js";
import { Bdi, count, counted, duration, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { attempt, progress } from "./nodes.js";
import { isFinal, isOwn, linkToken, type Node, withoutSteps } from "./view.js";

type Workflow = Schemas["WorkflowView"];
type Step = Schemas["StepView"];

const names: Record<string, string> = {
  start: "Check the content", fetch: "Fetch the page", convert: "Convert to PDF",
  metadata: "Read the metadata", text: "Read the text", thumbnails: "Create thumbnails",
  parse: "Find records", records: "Summarize records", finish: "Finish",
  optimize: "Choose the kind of model", train: "Train the model", report: "Describe the model",
};
const states: Record<Step["state"], { label: string; tone: Tone }> = {
  open: { label: "Open", tone: "active" }, done: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" }, skipped: { label: "Skipped", tone: "neutral" },
};

interface StepsProps {
  node: Node;
  again: (() => Promise<void>) | undefined;
  reload: () => void;
  /** The names of all steps in order, if each begins after the previous one. */
  sequence?: string[];
}

export function Steps({ node, again, reload, sequence = [] }: StepsProps): JSX.Element {
  const [workflow, setWorkflow] = useState<Workflow>(), [error, setError] = useState<Error>(), done = progress.value.get(node.id);
  const read = (): void => {
    api.GET("/v1/library/files/{id}/workflow", { params: { path: { id: node.id }, query: linkToken() } }).then(data).then(
      (w) => { setWorkflow(w); setError(undefined); },
      (failed: unknown) => setError(failed instanceof Error ? failed : new Error(message(failed))),
    );
  };
  useEffect(read, [node.id, node.version, done]);
  const retry = async (step: Step): Promise<void> => {
    const params = { path: { id: node.id, step: step.id } };
    const begun = await attempt(() => api.POST("/v1/library/files/{id}/workflow/steps/{step}/retry", { params }).then(data));
    if (!begun) return;
    toast("The step will run again.");
    reload();
    read();
  };
  const process = again && isFinal(node) && <Button icon={Retry} onClick={() => void again().then(read)}>Process again</Button>;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState icon={Clock} title="No steps available" action={process}>
        {node.status === "Loading"
          ? "Processing starts when the file is uploaded."
          : "Steps are kept for a few days after processing ends."}
      </EmptyState>
    );
  }
  if (error && !workflow) return <ErrorState title="Could not load the steps" error={error.message} retry={read} />;
  if (!workflow) return <Loading what="the steps"><Skeleton height={320} /></Loading>;
  const { chunks } = workflow, later = isFinal(node) ? [] : sequence.filter((name) => !workflow.steps.some((s) => s.id === name));
  const order = (s: Step): number => sequence.indexOf(s.id), steps = [...workflow.steps].sort((a, b) => order(a) - order(b));
  return (
    <section class="card flush steps" aria-label="Steps">
      <div class="steps-head">
        <p class="soft">
          {workflow.run > 1 ? `Run ${workflow.run}` : "First run"}
          {workflow.updatedAt && <> · updated <Time iso={workflow.updatedAt} exact /></>}
        </p>
        {process}
      </div>
      {workflow.failureMessage && (
        <div class="steps-notice">
          <Notice tone={workflow.state === "Failed" ? "bad" : "warn"}><Bdi text={withoutSteps(workflow.failureMessage)} /></Notice>
        </div>
      )}
      <ol>
        {steps.map((s) => (
          <li key={s.id}>
            <Badge tone={states[s.state].tone}>{states[s.state].label}</Badge>
            <div class="grow">
              <strong>{names[s.id] ?? <Bdi text={s.id} />}</strong>
              {s.reason && <span class={s.state === "failed" ? "sub bad" : "sub"}><Bdi text={s.reason} /></span>}
              <span class="sub">
                {[s.attempts > 1 ? counted(s.attempts, "attempt") : "", s.state === "open" ? "" : took(s.ms)].filter(Boolean).join(" · ")}
                {s.engine && <> · <Bdi text={engineOf(s.engine)} /></>}
              </span>
            </div>
            {s.state === "failed" && isOwn(node) && isFinal(node) && <Button icon={Retry} onClick={() => void retry(s)}>Retry</Button>}
          </li>
        ))}
        {later.map((name) => (
          <li key={name}>
            <Badge tone="neutral">Waiting</Badge>
            <div class="grow"><strong>{names[name] ?? name}</strong></div>
          </li>
        ))}
        {chunks && (
          <li>
            <Badge tone={chunks.failed > 0 ? "bad" : chunks.open > 0 ? "active" : "good"}>
              {chunks.failed > 0 ? "Failed" : chunks.open > 0 ? "Open" : "Done"}
            </Badge>
            <div class="grow">
              <strong>Process the records</strong>
              <span class="sub">
                {count(chunks.done)} of {counted(chunks.total, "chunk")} of
                1,000 records{chunks.failed > 0 && `, ${count(chunks.failed)} failed`}
              </span>
              {chunks.open > 0 && <ProgressBar label="Chunks" value={(chunks.done + chunks.failed) / chunks.total} />}
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}

/** The engine of a step. Those that are a part of Assay are only a version. */
function engineOf(engine: string): string {
  const own = /^[a-z]+ (\d+)$/.exec(engine)?.[1];
  return own === undefined ? `engine: ${engine}` : `version ${own}`;
}

function took(ms: number): string {
  return ms < 1000
    ? `${count(ms)} ms`
    : ms < 10_000 ? `${(ms / 1000).toLocaleString(navigator.languages, { maximumFractionDigits: 1 })} s`
    : duration(ms / 1000);
}
