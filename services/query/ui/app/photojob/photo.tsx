import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message } from "../api/client.js";
import { followArea } from "../api/live.js";
import { navigate, type PageProps } from "../router.js";
import { Bars } from "../ui/bars.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, ProgressBar, Skeleton } from "../ui/feedback.js";
import { Close, Download, Image, More, Retry, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { send, sending } from "../ui/send.js";
import { Bdi, bytes, Time } from "../ui/text.js";
import { cancel, remove, retry } from "./photos.js";
import { PromptFields } from "./prompt.js";
import { Slider } from "./slider.js";
import { bytesOf, ended, nameOf, outputOf, type Photo, states, shown, type Terms } from "./view.js";

const crumbs = [{ href: "/photos", label: "Photos" }];

export default function PhotoPage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const [photo, setPhoto] = useState<Photo>(), [error, setError] = useState<ApiError | Error>(), [asking, ask] = useState(false);
  const read = async (): Promise<void> => {
    try {
      setPhoto(await api.GET("/v1/photos/{id}", { params: { path: { id } } }).then(data));
      setError(undefined);
    } catch (failed) {
      setError(failed instanceof Error ? failed : new Error(message(failed)));
    }
  };
  useEffect(() => {
    void read();
    return followArea("photojob", (_, outcome) => { if (outcome.id === id) void read(); }, () => void read());
  }, [id]);
  const running = photo !== undefined && !ended(photo.status);
  useEffect(() => { // intermediate steps have no events
    if (!running) return;
    const timer = setInterval(() => { if (!document.hidden) void read(); }, 2000);
    return () => clearInterval(timer);
  }, [running, id]);

  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Photo not found" crumbs={crumbs}>
        <EmptyState icon={Image} title="This photo does not exist" action={<ButtonLink href="/photos">All photos</ButtonLink>}>
          It was deleted, it belongs to another owner, or the link is wrong.
        </EmptyState>
      </Page>
    );
  }
  if (!photo) {
    return (
      <Page title="Photo" crumbs={crumbs}>
        {error
          ? <ErrorState title="Could not load the photo" error={error.message} retry={() => void read()} />
          : <Loading what="the photo"><Skeleton height={480} /></Loading>}
      </Page>
    );
  }
  const item = { area: "photojob", id: photo.jobId } as const;
  const edit = async (terms: Terms): Promise<void> => {
    ask(false);
    if (photo.status === "FAILED") {
      const now = await retry(photo, terms);
      if (now) setPhoto(now);
    } else {
      await send(item, "photojob", { ...terms.prompt.trim() && { prompt: terms.prompt.trim() }, options: { ...terms.options } });
    }
  };
  return (
    <Page
      title={nameOf(photo)} outside
      crumbs={photo.batchId ? [...crumbs, { href: `/photos/batches/${photo.batchId}`, label: "Batch" }] : crumbs}
      lead={<Badge tone={states[photo.status].tone}>{states[photo.status].label}</Badge>}
      actions={<>
        {ended(photo.status) && <Button icon={Retry} onClick={() => ask(true)}>Edit again</Button>}
        {running && <Button icon={Close} onClick={() => void cancel(photo).then(read)}>Cancel</Button>}
        {photo.status === "COMPLETED" && (
          <ButtonLink icon={Download} kind="primary" href={bytesOf(photo.jobId, "final")} download>Download</ButtonLink>
        )}
        <Menu label="More actions" button={<More />} items={[
          ...photo.status === "COMPLETED" ? [sending(item, "library", { content: "result" })] : [],
          ...photo.status === "QUEUED" ? [] : [sending(item, "library", {}, "Add the original to library")],
          { label: "Delete", icon: Trash, danger: true, act: () => { remove(photo); navigate("/photos"); } },
        ]} />
      </>}
    >
      {error && <Notice tone="bad">{error.message}</Notice>}
      {photo.status === "FAILED" && (
        <Notice tone="bad">{photo.error ? <Bdi text={photo.error.message} /> : "The photo could not be processed."}</Notice>
      )}
      {photo.degraded && <Notice tone="warn">Not everything was done as requested: <Bdi text={photo.degraded} /></Notice>}
      {running && (
        <section class="card waiting" aria-live="polite">
          <p>{states[photo.status].label}. This page updates automatically.</p>
          <ProgressBar label={states[photo.status].label} />
        </section>
      )}
      <Pictures photo={photo} />
      <div class="columns"><Description photo={photo} /><Facts photo={photo} /></div>
      {asking && <Again photo={photo} close={() => ask(false)} edit={(terms) => void edit(terms)} />}
    </Page>
  );
}

function Pictures({ photo }: { photo: Photo }): JSX.Element | null {
  const { editResult: result } = photo, name = nameOf(photo);
  const [size, setSize] = useState<{ width: number; height: number }>();
  if (photo.status === "COMPLETED" && result) {
    const after = bytesOf(photo.jobId, "preview"), before = bytesOf(photo.jobId, "original-preview");
    // The slider compares pictures with the same aspect ratio; a cropped photo is shown beside the uploaded one.
    const same = size && Math.abs(size.width / size.height - result.width / result.height) < 0.01;
    if (same) return <Slider before={before} after={after} name={name} width={result.width} height={result.height} />;
    return (
      <div class="pictures two">
        <figure>
          <img
            src={before} alt={`${name}, as uploaded`}
            onLoad={(event) => setSize({ width: event.currentTarget.naturalWidth, height: event.currentTarget.naturalHeight })}
          />
          <figcaption>Before</figcaption>
        </figure>
        <figure>
          <img src={after} alt={`${name}, edited`} width={result.width} height={result.height} />
          <figcaption>After</figcaption>
        </figure>
      </div>
    );
  }
  if (photo.status === "QUEUED" || !shown(photo)) return null;
  return <div class="pictures"><figure><img src={bytesOf(photo.jobId, "original")} alt={`${name}, as uploaded`} /></figure></div>;
}

function Description({ photo }: { photo: Photo }): JSX.Element | null {
  const { analysisResult: result } = photo;
  if (!result) return null;
  return (
    <section class="card" aria-labelledby="description">
      <h2 id="description">Description</h2>
      {result.description && <p class="described"><Bdi text={result.description} /></p>}
      {result.labels.length > 0 && (
        <Bars
          heads={["Label", "Confidence"]}
          bars={result.labels.map((l) => ({
            key: l.name, label: <Bdi text={l.name.replaceAll("_", " ")} clip />, share: l.confidence,
            value: l.confidence.toLocaleString(navigator.languages, { style: "percent" }),
          }))}
        />
      )}
    </section>
  );
}

/** The end of a call's line, by outcome. */
const outcomes: Record<Photo["calls"][number]["outcome"], string> = {
  ok: "", sent: ": waiting for the response", error: ": failed", unknown: ": the response was lost",
};

function Facts({ photo }: { photo: Photo }): JSX.Element {
  const result = photo.editResult;
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">History</h2>
      <ol class="timeline">
        <li class="good"><p>Uploaded</p><Time iso={photo.createdAt} exact /></li>
        {photo.processingStartedAt && (
          <li class={photo.status === "PROCESSING" ? "now" : "good"}>
            <p>Processing started</p>
            <Time iso={photo.processingStartedAt} exact />
          </li>
        )}
        {photo.calls.map((call) => (
          <li key={call.at + call.step} class={call.outcome === "ok" ? "good" : call.outcome === "sent" ? "now" : "bad"}>
            <p>
              {call.step === "analyze" ? "Described" : "Edited"} by{" "}
              {call.provider === "local" ? "Assay" : <Bdi text={call.model ?? call.provider} />}
              {outcomes[call.outcome]}
            </p>
            <Time iso={call.at} exact />
          </li>
        ))}
        {photo.processingCompletedAt && (
          <li class={photo.status === "FAILED" ? "bad" : "good"}>
            <p>{photo.status === "FAILED" ? "Failed" : "Finished"}</p>
            <Time iso={photo.processingCompletedAt} exact />
          </li>
        )}
      </ol>
      <dl class="facts">
        <dt>Prompt</dt><dd>{photo.prompt ? <Bdi text={photo.prompt} /> : photo.options.operations?.length ? "–" : "enhance"}</dd>
        <dt>Uploaded</dt><dd>{bytes(photo.fileSize)}, {photo.fileType.replace("image/", "").toUpperCase()}</dd>
        {photo.options.operations && <><dt>Operations</dt><dd>{photo.options.operations.map((o) => o.op).join(", ")}</dd></>}
        {result && <><dt>Edited</dt><dd>{bytes(result.size)}, {result.format.toUpperCase()}, {result.width} × {result.height}</dd></>}
        {result?.outputs && (
          <>
            <dt>Also</dt>
            <dd>
              {result.outputs.map((o, i) => (
                <a key={i} class="also" href={outputOf(photo.jobId, i + 1)} download>
                  {o.format.toUpperCase()}, {o.width} × {o.height}, {bytes(o.size)}
                </a>
              ))}
            </dd>
          </>
        )}
        <dt>Edited by</dt><dd>{photo.provider === "local" ? "Assay" : photo.provider}</dd>
        <dt>Kept until</dt><dd><Time iso={photo.expiresAt} exact /></dd>
      </dl>
    </section>
  );
}

function Again({ photo, close, edit }: { photo: Photo; close: () => void; edit: (terms: Terms) => void }): JSX.Element {
  const [terms, setTerms] = useState<Terms>({ prompt: photo.prompt ?? "", options: photo.options });
  return (
    <Dialog title="Edit again" close={close} wide footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" onClick={() => edit(terms)}>Edit</Button>
    </>}>
      <PromptFields terms={terms} change={setTerms} />
      {photo.status === "COMPLETED" && <p class="soft">The result is saved as a new photo. This one is kept.</p>}
    </Dialog>
  );
}
