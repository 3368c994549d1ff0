import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, data } from "../api/client.js";
import { owner } from "../api/identity.js";
import { followArea, type Outcome } from "../api/live.js";
import { query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { Badge, EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Download, FileText, More, Retry, Search, Trash, Upload } from "../ui/icon.js";
import { kept } from "../ui/kept.js";
import { Menu } from "../ui/menu.js";
import { ordered } from "../ui/order.js";
import { Page } from "../ui/page.js";
import { sending } from "../ui/send.js";
import { type Column, Table } from "../ui/table.js";
import { Choice } from "../ui/tabs.js";
import { Bdi, bytes, count, Time } from "../ui/text.js";
import { openDialog } from "../upload/open.js";
import { accepted } from "../upload/queue.js";
import { contentOf, deleted, remove, retry } from "./files.js";
import { newest, orderOf, sorted } from "./order.js";
import { type File, isForeign, states, statisticsOf, type Status } from "./view.js";

const pageSize = 100, sortedPageSize = 1000; // a list in another order is read until its end
const filters: { key: "" | Status; label: string }[] = [
  { key: "", label: "All" }, { key: "COMPLETED", label: "Done" }, { key: "IN_PROGRESS", label: "Analyzing" },
  { key: "PENDING", label: "Waiting" }, { key: "FAILED", label: "Failed" },
];

// Returns the newer version of a file: an event may have arrived while the list was read.
const latest = (shown: File, fresh: File): File => shown.updatedAt > fresh.updatedAt ? shown : fresh;

function listOf(status: "" | Status, limit: number): Endless<File> {
  return new Endless<File>(async (cursor) => {
    const query = { limit, counts: true, ...cursor ? { cursor } : {}, ...status ? { status } : {} };
    const params = { path: { ownerId: owner.value }, query };
    const page = await api.GET("/v1/owners/{ownerId}/files", { params }).then(data);
    return { items: page.files, cursor: page.nextCursor };
  }, (file) => file.fileId, latest);
}

export default function Files(): JSX.Element {
  const status = filters.find((f) => f.key === query.value.get("status"))?.key ?? "", name = query.value.get("name") ?? "";
  const order = orderOf(query.value.get("sort")), limit = order === newest ? pageSize : sortedPageSize;
  const list = useMemo(() => kept(`textfile ${status} ${limit}`, () => listOf(status, limit)), [status, limit]);
  useEffect(() => {
    list.refresh();
    return followArea("textfile", (kind, outcome) => {
      const now: Status = kind === "completed" ? "COMPLETED" : "FAILED";
      const known = list.change(outcome.id, (file) => ({
        ...file, status: now, updatedAt: outcome.completedAt ?? outcome.failedAt ?? file.updatedAt,
        ...outcome.errorMessage ? { errorMessage: outcome.errorMessage } : {}, ...countsOf(outcome),
      }));
      if (!known || status) list.refreshSoon();
    }, () => list.refreshSoon());
  }, [list]);
  useSignalEffect(() => { if (accepted.value?.area === "textfile") list.refreshSoon(); });

  const all = list.items.value, sought = name.toLocaleLowerCase();
  const rows = useMemo(
    () => all.filter((f) => (!status || f.status === status) && !deleted.value.has(f.fileId) &&
      (!sought || f.fileName.toLocaleLowerCase().includes(sought))),
    [all, status, sought, deleted.value],
  );
  const incomplete = order !== newest && list.more.value;
  const files = useMemo(() => incomplete ? rows : sorted(rows, order), [rows, order, incomplete]);
  useEffect(() => { if (incomplete) list.next(); }, [incomplete, all, list]);
  const columns = useMemo(() => columnsOf(list, order), [list, order]);
  const show = useMemo(
    () => order === newest ? list.show : (_: File | undefined, end: boolean) => list.show(list.items.peek().at(-1), end), [list, order],
  );
  const choose = <Button kind="primary" icon={Upload} onClick={() => openDialog()}>Upload a text</Button>;
  return (
    <Page title="Text files" lead="Words are counted as soon as a file is uploaded.">
      <div class="toolbar">
        <Choice label="Status" options={filters} chosen={status} choose={(key) => setQuery({ status: key })} />
        <label class="search-field"><Search /><span class="visually-hidden">Filter by name</span>
          <input
            type="search" placeholder="Filter by name" value={name}
            onInput={(event) => setQuery({ name: event.currentTarget.value })}
          />
        </label>
      </div>
      {list.error.value && list.begun.value && <RetryNotice error={list.error.value} retry={list.retry} />}
      {content()}
    </Page>
  );

  function content(): JSX.Element {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the list" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="text files"><Skeleton rows={8} height={55} /></Loading>;
    if (rows.length > 0) {
      return (
        <>
          {incomplete && <p class="soft" role="status">Sorted when all files are loaded: {count(all.length)} so far.</p>}
          <Table label="Text files" columns={columns} rows={files} rowKey={(f) => f.fileId} onShow={show} linked />
          {list.more.value ? <Skeleton rows={2} height={55} /> : <p class="list-end">{count(rows.length)} of {count(all.length)} shown</p>}
        </>
      );
    }
    if (list.more.value) {
      list.next();
      return <Loading what="text files"><Skeleton rows={8} height={55} /></Loading>;
    }
    if (status || name) {
      return (
        <EmptyState
          icon={Search} title="No files match"
          action={<Button onClick={() => setQuery({ status: "", name: "" })}>Show all files</Button>}
        >
          No text file has this status and name.
        </EmptyState>
      );
    }
    return (
      <EmptyState icon={FileText} title="No text files yet" action={choose}>
        <span class="mouse">Drop a text file anywhere on this page. </span>
        Assay counts its words and shows how many are unique and which are most frequent.
      </EmptyState>
    );
  }
}

function columnsOf(list: Endless<File>, sort: string): Column<File>[] {
  const again = async (file: File): Promise<void> => {
    const now = await retry(file);
    if (now) list.change(file.fileId, () => now);
  };
  const by = (key: string, label: string, first?: string): Pick<Column<File>, "key" | "label" | "head" | "sorted"> => ({
    key, label, ...ordered({ key, label, sort, ...first ? { first } : {}, choose: (to) => setQuery({ sort: to === newest ? "" : to }) }),
  });
  return [
    { ...by("name", "Name"), width: "minmax(0, 1fr)", cell: (f) => <NameCell file={f} /> },
    { ...by("words", "Words", "-words"), width: "5.5rem", align: "end", cell: (f) => <Count n={f.counts?.totalWords} /> },
    {
      ...by("unique", "Unique", "-unique"), width: "5.5rem", align: "end", wide: true, cell: (f) => <Count n={f.counts?.uniqueWords} />,
    },
    {
      ...by("size", "Size", "-size"), width: "5.5rem", align: "end", wide: true,
      cell: (f) => f.size === undefined ? null : <span class="num">{bytes(f.size)}</span>,
    },
    {
      key: "status", label: "Status", width: "minmax(5.5rem, max-content)",
      cell: (f) => <Badge tone={states[f.status].tone}>{states[f.status].label}</Badge>,
    },
    { ...by("time", "Uploaded", newest), width: "10rem", wide: true, cell: (f) => <Time iso={f.createdAt} /> },
    { key: "actions", label: "Actions", width: "2.5rem", quiet: true, align: "end", cell: (f) => (
      <Menu label={`Actions for ${f.fileName}`} button={<More />} items={[
        { label: "Download", icon: Download, href: contentOf(f), download: true },
        ...isForeign(f) ? [sending({ area: "textfile", id: f.fileId }, "library")] : [],
        ...f.status === "FAILED" && !isForeign(f) ? [{ label: "Analyze again", icon: Retry, act: () => void again(f) }] : [],
        { label: "Delete", icon: Trash, danger: true, act: () => remove(f) },
      ]} />
    ) },
  ];
}

/** The counts that an outcome states. */
function countsOf(outcome: Outcome): Pick<File, "counts"> {
  const { totalWords, uniqueWords } = statisticsOf(outcome) ?? {};
  return totalWords === undefined || uniqueWords === undefined ? {} : { counts: { totalWords, uniqueWords } };
}

function Count({ n }: { n: number | undefined }): JSX.Element | null {
  return n === undefined ? null : <span class="num">{count(n)}</span>;
}

function NameCell({ file }: { file: File }): JSX.Element {
  return (
    <>
      <a href={`/files/${file.fileId}`} class="name"><Bdi text={file.fileName} clip /></a>
      {file.status === "FAILED" && file.errorMessage
        ? <span class="sub bad clip"><Bdi text={file.errorMessage} clip /></span>
        : <span class="sub narrow-only"><Time iso={file.createdAt} /></span>}
    </>
  );
}
