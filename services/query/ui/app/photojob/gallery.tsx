import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, data } from "../api/client.js";
import { owner } from "../api/identity.js";
import { followArea } from "../api/live.js";
import { query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { Badge, EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Image, Upload } from "../ui/icon.js";
import { kept } from "../ui/kept.js";
import { Page } from "../ui/page.js";
import { Choice } from "../ui/tabs.js";
import { Bdi, Time } from "../ui/text.js";
import { Tiles } from "../ui/tiles.js";
import { openDialog } from "../upload/open.js";
import { accepted } from "../upload/queue.js";
import { deleted } from "./photos.js";
import { addressOf, bytesOf, labelsOf, nameOf, type Photo, states, shown, type Status } from "./view.js";

const pageSize = 48;
const filters: { key: "" | Status; label: string }[] = [
  { key: "", label: "All" }, { key: "COMPLETED", label: "Done" }, { key: "QUEUED", label: "Waiting" }, { key: "FAILED", label: "Failed" },
];

function listOf(status: "" | Status): Endless<Photo> {
  return new Endless<Photo>(async (cursor) => {
    const params = { path: { ownerId: owner.value }, query: { limit: pageSize, ...cursor ? { cursor } : {}, ...status ? { status } : {} } };
    const page = await api.GET("/v1/owners/{ownerId}/photos", { params }).then(data);
    return { items: page.photos, cursor: page.nextCursor };
  }, (photo) => photo.jobId, (was, fresh) => was.updatedAt > fresh.updatedAt ? was : fresh);
}

export default function Gallery(): JSX.Element {
  const status = filters.find((f) => f.key === query.value.get("status"))?.key ?? "";
  const list = useMemo(() => kept(`photojob ${status}`, () => listOf(status)), [status]);
  useEffect(() => {
    list.refresh();
    return followArea("photojob", () => list.refreshSoon(), () => list.refreshSoon());
  }, [list]);
  useSignalEffect(() => { if (accepted.value?.area === "photojob") list.refreshSoon(); });
  const all = list.items.value;
  const photos = useMemo(
    () => all.filter((p) => (!status || p.status === status) && !deleted.value.has(p.jobId)),
    [all, status, deleted.value],
  );
  const choose = <Button kind="primary" icon={Upload} onClick={() => openDialog()}>Upload photos</Button>;
  return (
    <Page title="Photos" lead="Assay describes each photo and edits it according to your prompt." actions={choose}>
      <div class="toolbar"><Choice label="Status" options={filters} chosen={status} choose={(key) => setQuery({ status: key })} /></div>
      {list.error.value && list.begun.value && <RetryNotice error={list.error.value} retry={list.retry} />}
      {content()}
    </Page>
  );

  function content(): JSX.Element {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the photos" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="photos"><Skeleton rows={2} height={240} /></Loading>;
    if (photos.length > 0) {
      return (
        <Tiles
          label="Photos" items={photos} itemKey={(p) => p.jobId} tile={(p) => <Tile photo={p} />}
          width={220} height={264} onShow={list.show}
        />
      );
    }
    if (list.more.value) {
      list.next();
      return <Loading what="photos"><Skeleton rows={2} height={240} /></Loading>;
    }
    if (status) {
      return (
        <EmptyState icon={Image} title="No photos match" action={<Button onClick={() => setQuery({ status: "" })}>Show all photos</Button>}>
          No photo has this status.
        </EmptyState>
      );
    }
    return (
      <EmptyState icon={Image} title="No photos yet" action={choose}>
        <span class="mouse">Drop photos anywhere on this page</span>
        <span class="touch">Upload photos</span> and describe the edit, such as “auto levels, crop 1:1 to faces”.
      </EmptyState>
    );
  }
}

/** The edited photo if it is available, otherwise the uploaded one. */
function Picture({ photo }: { photo: Photo }): JSX.Element {
  if (photo.status === "COMPLETED") return <img src={bytesOf(photo.jobId, "preview")} alt="" loading="lazy" decoding="async" />;
  if (photo.status !== "QUEUED" && shown(photo)) {
    return <img src={bytesOf(photo.jobId, "original")} alt="" loading="lazy" decoding="async" />;
  }
  return <span class="no-picture"><Image /></span>;
}

function Tile({ photo }: { photo: Photo }): JSX.Element {
  return (
    <a class="photo-tile" href={addressOf(photo.jobId)}>
      <span class="frame">
        <Picture photo={photo} />
        {photo.status !== "COMPLETED" && <Badge tone={states[photo.status].tone}>{states[photo.status].label}</Badge>}
      </span>
      <span class="caption">
        <Bdi text={nameOf(photo)} clip />
        {labelsOf(photo) ? <span class="labels"><Bdi text={labelsOf(photo)} clip /></span> : <Time iso={photo.createdAt} />}
      </span>
    </a>
  );
}
