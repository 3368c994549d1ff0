import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message } from "../api/client.js";
import { followArea } from "../api/live.js";
import type { PageProps } from "../router.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, ProgressBar, Skeleton, type Tone } from "../ui/feedback.js";
import { Image, Retry } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, counted } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { addressOf, type Batch, states as photoStates } from "./view.js";

const crumbs = [{ href: "/photos", label: "Photos" }];
const states: Record<Batch["status"], { label: string; tone: Tone }> = {
  QUEUED: { label: "Waiting", tone: "neutral" }, PROCESSING: { label: "In progress", tone: "active" },
  COMPLETED: { label: "Done", tone: "good" },
  PARTIAL: { label: "Partly done", tone: "warn" }, FAILED: { label: "Failed", tone: "bad" },
};

export default function BatchPage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const [batch, setBatch] = useState<Batch>(), [error, setError] = useState<ApiError | Error>();
  const read = async (): Promise<void> => {
    try {
      setBatch(await api.GET("/v1/photo-batches/{id}", { params: { path: { id } } }).then(data));
      setError(undefined);
    } catch (failed) {
      setError(failed instanceof Error ? failed : new Error(message(failed)));
    }
  };
  useEffect(() => {
    void read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => { timer ??= setTimeout(() => { timer = undefined; void read(); }, 300); };
    const leave = followArea("photojob", soon, soon);
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [id]);
  if (!batch) {
    if (error instanceof ApiError && error.status === 404) {
      return (
        <Page title="Batch not found" crumbs={crumbs}>
          <EmptyState icon={Image} title="This batch does not exist" action={<ButtonLink href="/photos">All photos</ButtonLink>}>
            Its photos were deleted, it belongs to another owner, or the link is wrong.
          </EmptyState>
        </Page>
      );
    }
    return (
      <Page title="Batch of photos" crumbs={crumbs}>
        {error
          ? <ErrorState title="Could not load the batch" error={error.message} retry={() => void read()} />
          : <Loading what="the batch"><Skeleton rows={6} height={55} /></Loading>}
      </Page>
    );
  }
  const done = batch.completed + batch.failed + batch.deleted;
  const again = async (): Promise<void> => {
    try {
      await api.POST("/v1/photo-batches/{id}/retry", { params: { path: { id } } }).then(data);
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    void read();
  };
  const columns: Column<Batch["photos"][number]>[] = [
    { key: "name", label: "Name", width: "minmax(0, 1fr)", cell: (p) => <>
      <a class="name" href={addressOf(p.jobId)}><Bdi text={p.fileName ?? p.jobId} clip /></a>
      {p.errorCode && <span class="sub bad">{p.errorCode.toLowerCase().replaceAll("_", " ")}</span>}
    </> },
    {
      key: "status", label: "Status", width: "minmax(8rem, max-content)",
      cell: (p) => <Badge tone={photoStates[p.status].tone}>{photoStates[p.status].label}</Badge>,
    },
  ];
  return (
    <Page
      title={`Batch of ${counted(batch.total, "photo")}`} crumbs={crumbs}
      lead={<Badge tone={states[batch.status].tone}>{states[batch.status].label}</Badge>}
      actions={batch.failed > 0 && (
        <Button icon={Retry} onClick={() => void again()}>Try {counted(batch.failed, "failed photo")} again</Button>
      )}
    >
      <section class="card waiting" aria-live="polite">
        <p>
          {done} of {batch.total} done{batch.failed > 0 && `, ${batch.failed} failed`}
          {batch.deleted > 0 && `, ${batch.deleted} deleted`}
        </p>
        <ProgressBar value={batch.total ? done / batch.total : 1} label="Photos done" />
      </section>
      <Table label="Photos of the batch" columns={columns} rows={batch.photos} rowKey={(p) => p.jobId} linked />
    </Page>
  );
}
