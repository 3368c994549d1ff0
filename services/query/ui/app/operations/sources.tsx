// The sources that ingest polls for the feed.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, data, message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, RetryNotice, Skeleton, type Tone } from "../ui/feedback.js";
import { Feed, More, Pause, Play, Plus, Retry, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, count, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { api, type Schemas } from "./client.js";
import { usePolled } from "../ui/poll.js";

type Source = Schemas["SourceView"];
type Settings = Schemas["Settings"];

const every = 10_000; // ms
const kinds: Record<Source["kind"], string> = { rss: "RSS, Atom or JSON Feed", newsapi: "NewsAPI" };
const states: Record<Source["state"]["status"], { label: string; tone: Tone }> = {
  disabled: { label: "Disabled", tone: "neutral" }, waiting: { label: "Waiting", tone: "good" },
  polling: { label: "Polling", tone: "active" },
  paused: { label: "Failing", tone: "warn" }, stopped: { label: "Stopped", tone: "bad" },
};

/** Writes the settings of a source unless they have changed since they were read. */
async function write(name: string, change: (settings: Settings) => Settings): Promise<void> {
  const read = await api.GET("/v1/feed/sources/{name}", { params: { path: { name } } });
  const { name: _, state: __, ...settings } = data(read);
  await api.PUT("/v1/feed/sources/{name}", {
    params: { path: { name }, header: { "If-Match": read.response.headers.get("ETag") ?? "" } }, body: change(settings),
  }).then(data);
}

export default function Sources(): JSX.Element {
  const { value, error, again } = usePolled(() => api.GET("/v1/feed/sources").then(data), every);
  const [edited, edit] = useState<Source | "new" | undefined>(), [removed, remove] = useState<Source>();
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      await again();
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
  };
  const columns: Column<Source>[] = [
    { key: "name", label: "Source", width: "minmax(0, 1fr)", cell: (s) => <>
      <button type="button" class="link name" onClick={() => edit(s)}>{s.name}</button>
      <span class="sub clip">{kinds[s.kind]}{s.url && <> · <Bdi text={s.url} /></>}</span>
    </> },
    { key: "tags", label: "Tags", width: "minmax(0, 0.6fr)", wide: true, cell: (s) => <Bdi text={s.tags.join(", ")} clip /> },
    { key: "last", label: "Last poll", width: "minmax(0, 0.7fr)", wide: true, cell: (s) => <Last source={s} /> },
    {
      key: "quota", label: "Requests today", width: "8rem", align: "end", wide: true,
      cell: (s) => <>{count(s.state.quotaUsed)}{s.quota ? ` of ${count(s.quota)}` : ""}</>,
    },
    {
      key: "status", label: "Status", width: "7rem",
      cell: (s) => <Badge tone={states[s.state.status].tone}>{states[s.state.status].label}</Badge>,
    },
    { key: "actions", label: "Actions", width: "2.5rem", quiet: true, align: "end", cell: (s) => (
      <Menu label={`Actions for ${s.name}`} button={<More />} items={[
        s.enabled
          ? { label: "Disable", icon: Pause, act: () => void act(() => write(s.name, (to) => ({ ...to, enabled: false }))) }
          : { label: "Enable", icon: Play, act: () => void act(() => write(s.name, (to) => ({ ...to, enabled: true }))) },
        ...s.state.status === "paused" || s.state.status === "stopped"
          ? [{ label: "Try again now", icon: Retry, act: () => void act(() => write(s.name, (to) => to)) }]
          : [],
        { label: "Delete", icon: Trash, danger: true, act: () => remove(s) },
      ]} />
    ) },
  ];
  const addOne = <Button kind="primary" icon={Plus} onClick={() => edit("new")}>Add a source</Button>;
  return (
    <Page title="Feed sources" lead="Ingest polls sources for new items." actions={addOne}>
      {value && error && <RetryNotice error={error} retry={() => void again()} />}
      {content()}
      {edited !== undefined && <Editor source={edited === "new" ? undefined : edited} close={() => edit(undefined)} saved={again} />}
      {removed && (
        <Dialog title={`Delete ${removed.name}?`} close={() => remove(undefined)} footer={<>
          <Button onClick={() => remove(undefined)}>Cancel</Button>
          <Button kind="danger" icon={Trash} onClick={() => { remove(undefined); void act(() => erase(removed.name)); }}>Delete</Button>
        </>}>
          <p>Polling stops. Its items are kept.</p>
        </Dialog>
      )}
    </Page>
  );

  function content(): JSX.Element {
    if (!value && error) return <ErrorState title="Could not load the sources" error={error} retry={() => void again()} />;
    if (!value) return <Loading what="sources"><Skeleton rows={4} height={55} /></Loading>;
    if (value.sources.length > 0) return <Table label="Feed sources" columns={columns} rows={value.sources} rowKey={(s) => s.name} />;
    return (
      <EmptyState icon={Feed} title="No sources yet" action={addOne}>
        A source is an RSS, Atom or JSON feed, or a NewsAPI search. Its entries become items of the feed.
      </EmptyState>
    );
  }
}

function erase(name: string): Promise<unknown> {
  return api.DELETE("/v1/feed/sources/{name}", { params: { path: { name }, header: { "If-Match": "*" } } }).then(data);
}

function Last({ source: { state } }: { source: Source }): JSX.Element {
  if (state.reason) return <span class="bad"><Bdi text={state.reason} clip /></span>;
  if (!state.lastPoll) return <span class="soft">Not yet</span>;
  const { at, outcome, detail } = state.lastPoll;
  return <><Time iso={at} /><span class={state.failures > 0 ? "sub bad clip" : "sub clip"}><Bdi text={detail ?? outcome} clip /></span></>;
}

function create(name: string, settings: Settings): Promise<unknown> {
  return api.PUT("/v1/feed/sources/{name}", { params: { path: { name }, header: { "If-None-Match": "*" } }, body: settings }).then(data);
}

const split = (text: string): string[] => text.split(",").map((t) => t.trim()).filter((t) => t !== "");

function Editor({ source, close, saved }: { source: Source | undefined; close: () => void; saved: () => Promise<void> }): JSX.Element {
  const [name, setName] = useState(source?.name ?? ""), [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const [kind, setKind] = useState<Source["kind"]>(source?.kind ?? "rss"), [url, setURL] = useState(source?.url ?? "");
  const [tags, setTags] = useState(source?.tags.join(", ") ?? "");
  const [interval, setInterval] = useState(source?.interval ?? "");
  const [match, setMatch] = useState<NonNullable<Settings["match"]>>(source?.match ?? "text");
  const incomplete = name === "" || kind === "rss" && url === "" || split(tags).length === 0;
  const optional = (value: string): string | undefined => value.trim() || undefined;
  const save = async (): Promise<void> => {
    setBusy(true);
    const settings = (was: Partial<Settings>): Settings => {
      const { url: _, interval: __, match: ___, ...kept } = was, address = optional(url), time = optional(interval);
      return {
        ...kept, enabled: was.enabled ?? true, kind, tags: split(tags), ...address && { url: address },
        ...time && { interval: time }, ...kind === "rss" && { match },
      };
    };
    try {
      if (source) await write(source.name, settings);
      else await create(name, settings({}));
      close();
      await saved();
    } catch (failed) {
      const conflict = source
        ? "The source has been changed in the meantime. Close this dialog and open it again."
        : "A source with this name already exists.";
      setError(failed instanceof ApiError && failed.status === 412 ? conflict : message(failed));
    }
    setBusy(false);
  };
  return (
    <Dialog title={source ? source.name : "Add a source"} close={close} footer={<>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" disabled={busy || incomplete} onClick={() => void save()}>Save</Button>
    </>}>
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        {!source && (
          <label class="field">
            Name
            <input value={name} maxLength={64} placeholder="go-blog" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        <label class="field">
          Kind
          <select value={kind} disabled={source !== undefined} onChange={(event) => setKind(event.currentTarget.value as Source["kind"])}>
            {Object.entries(kinds).map(([key, label]) => <option key={key} value={key}>{label}</option>)}
          </select>
        </label>
        <label class="field">
          {kind === "rss" ? "URL" : "URL, if it is not NewsAPI's own"}
          <input
            type="url" value={url}
            placeholder={kind === "rss" ? "https://go.dev/blog/feed.atom" : ""}
            onInput={(event) => setURL(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Tags (comma-separated)
          <input value={tags} placeholder="go, release" onInput={(event) => setTags(event.currentTarget.value)} />
        </label>
        {kind === "rss" && (
          <label class="field">
            Entries
            <select value={match} onChange={(event) => setMatch(event.currentTarget.value as "text" | "all")}>
              <option value="text">only those that contain a tag</option>
              <option value="all">all, with all tags</option>
            </select>
          </label>
        )}
        <label class="field">
          Poll interval
          <input value={interval} placeholder="15m" onInput={(event) => setInterval(event.currentTarget.value)} />
        </label>
      </form>
      {error && <Notice tone="bad">{error}</Notice>}
    </Dialog>
  );
}
