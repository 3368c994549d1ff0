// The items of the selection, newest first or, if a sentiment is selected, highest confidence first.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message, parseExactly } from "../api/client.js";
import { query, setQuery } from "../router.js";
import { ButtonLink } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import type { Endless } from "../ui/endless.js";
import { Badge, EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { External, Feed } from "../ui/icon.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, Time } from "../ui/text.js";
import { type Item, labelOf, percent, sentiments } from "./view.js";

const rowHeight = 76; // px

export function Items({ list, filtered }: { list: Endless<Item>; filtered: boolean }): JSX.Element {
  const columns: Column<Item>[] = [
    { key: "text", label: "Text", width: "minmax(0, 1fr)", cell: (i) => <TextCell item={i} /> },
    { key: "sentiment", label: "Sentiment", width: "8rem", cell: (i) => <Rated item={i} /> },
    { key: "source", label: "Source", width: "8rem", wide: true, cell: (i) => <span class="soft">{labelOf(i.sourceType)}</span> },
    { key: "time", label: "Received", width: "9rem", wide: true, cell: (i) => <Time iso={i.ingestedAt} /> },
  ];
  const rows = list.items.value, open = query.value.get("item");
  return (
    <section aria-labelledby="items">
      <h2 id="items" class="list-head">Items</h2>
      {content()}
      {open && <Details id={open} known={rows.find((i) => i.sourceId === open)} />}
    </section>
  );

  function content(): JSX.Element {
    if (list.error.value && !list.begun.value) {
      return <ErrorState title="Could not load the items" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value) return <Loading what="items"><Skeleton rows={6} height={rowHeight} /></Loading>;
    if (rows.length === 0 && filtered) {
      return <EmptyState icon={Feed} title="No items match">Choose a longer time range or remove filters.</EmptyState>;
    }
    if (rows.length === 0) {
      return (
        <EmptyState icon={Feed} title="No items in this time range" action={<ButtonLink href="/docs">API reference</ButtonLink>}>
          Send a message with <code>POST /v1/feed/items</code>, or add a source
          with <code>assay feed sources set</code> or on the operator pages. Items are rated within a second.
        </EmptyState>
      );
    }
    return (
      <>
        <Table
          label="Items of the feed" columns={columns} rows={rows} rowKey={(i) => i.sourceId}
          rowHeight={rowHeight} onShow={list.show} linked
        />
        {list.more.value ? <Skeleton rows={2} height={rowHeight} /> : <p class="list-end">End of list</p>}
      </>
    );
  }
}

/** The address of the page with an item open. */
export function addressOf(id: string): string {
  const to = new URLSearchParams(query.value);
  to.set("item", id);
  return "/feed?" + to.toString();
}

function TextCell({ item }: { item: Item }): JSX.Element {
  return (
    <>
      <a class="name clamp" href={addressOf(item.sourceId)}><Bdi text={item.textSnippet} /></a>
      <span class="sub tags">
        {item.matchedTags.slice(0, 3).map((t) => (
          <button key={t} type="button" class="tag" onClick={() => setQuery({ tag: t })}><Bdi text={t} clip /></button>
        ))}
        {item.archive && <Badge tone="neutral">Archive</Badge>}
        {item.similarTo && <Badge tone="neutral">Similar</Badge>}
        <span class="narrow-only"><Time iso={item.ingestedAt} /></span>
      </span>
    </>
  );
}

function Rated({ item }: { item: Item }): JSX.Element {
  const of = sentiments.find((s) => s.key === item.sentiment);
  if (item.unsupported) return <span class="rated soft" title="Only English is rated">Not rated ({item.language})</span>;
  return (
    <span class="rated" title={`Confidence ${percent(item.score)}`}>
      <span class={`key ${item.sentiment}`} />
      {of?.label} <small class="soft">{percent(item.score)}</small>
    </span>
  );
}

/** Parses an item. The numbers of its metadata keep all their digits. */
function parse(text: string): Item {
  const item = JSON.parse(text) as Item, { metadata } = parseExactly(text) as Item;
  return metadata ? { ...item, metadata } : item;
}

/** All details of an item. Its address is a permanent link. */
function Details({ id, known }: { id: string; known: Item | undefined }): JSX.Element {
  const [item, setItem] = useState<Item | undefined>(known), [error, setError] = useState("");
  useEffect(() => {
    api.GET("/v1/feed/items/{sourceId}", { params: { path: { sourceId: id } }, parseAs: "text" }).then(data).then(parse)
      .then(setItem, (failed: unknown) => setError(message(failed)));
  }, [id]);
  const metadata = Object.entries(item?.metadata ?? {}).filter(([, value]) => typeof value !== "object");
  const link = item?.sourceUrl && /^https?:/.test(item.sourceUrl) ? item.sourceUrl : undefined;
  return (
    <Dialog
      title="Item" close={() => setQuery({ item: "" })} wide
      footer={link && <a class="button" href={link} target="_blank" rel="noreferrer noopener"><External /><span>Open the source</span></a>}
    >
      {error && !item && <p role="alert">{error}</p>}
      {!item && !error && <Loading what="the item"><Skeleton rows={4} height={24} /></Loading>}
      {item && (
        <>
          <p class="item-text"><Bdi text={item.textSnippet} /></p>
          <p>
            {item.status === "analyzed"
              ? <Rated item={item} />
              : <Badge tone={item.errorMessage ? "bad" : "active"}>{item.errorMessage ? "Not rated" : "Rating"}</Badge>}
          </p>
          {item.errorMessage && <p class="soft"><Bdi text={item.errorMessage} /></p>}
          <dl class="facts">
            <dt>Source</dt><dd>{labelOf(item.sourceType)}</dd>
            <dt>Id</dt><dd><code><Bdi text={item.sourceId} /></code></dd>
            <dt>Tags</dt><dd><Bdi text={item.matchedTags.join(", ")} /></dd>
            {item.publishedAt && <><dt>Published</dt><dd><Time iso={item.publishedAt} exact /></dd></>}
            {item.archive && <><dt>Archive</dt><dd>Published before its source was added; not counted</dd></>}
            {item.futureDate && <><dt>Published</dt><dd>In the future: <Time iso={item.futureDate} exact /></dd></>}
            {item.similarTo && (
              <>
                <dt>Similar to</dt>
                <dd><a href={"/feed?item=" + encodeURIComponent(item.similarTo)}><Bdi text={item.similarTo} /></a></dd>
              </>
            )}
            <dt>Received</dt><dd><Time iso={item.ingestedAt} exact /></dd>
            {item.language && <><dt>Language</dt><dd>{item.language}</dd></>}
            <dt>Compound</dt><dd>{item.compound.toLocaleString(navigator.languages, { maximumFractionDigits: 4 })}</dd>
            <dt>Model</dt><dd>{item.modelVersion}</dd>
            {metadata.map(([name, value]) => <><dt><Bdi text={name} /></dt><dd><Bdi text={String(value)} /></dd></>)}
          </dl>
        </>
      )}
    </Dialog>
  );
}
