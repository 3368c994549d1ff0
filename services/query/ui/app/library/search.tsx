// Search in the names and texts of the library.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, ApiError, data, type Schemas } from "../api/client.js";
import { owner } from "../api/identity.js";
import { type PageProps, query, setQuery } from "../router.js";
import { Button, ButtonLink, IconButton } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Close, Search } from "../ui/icon.js";
import { Marked } from "../ui/marked.js";
import { Page } from "../ui/page.js";
import { Bdi, count, counted, Time, visible } from "../ui/text.js";
import { readNode } from "./nodes.js";
import { Thumbnail } from "./parts.js";
import { TagChips } from "./tagchips.js";
import { foundAt, hrefOf, kindOf, type Node, nameOf, placeOf, sizeOf } from "./view.js";

type Result = Schemas["SearchResult"];
type Hit = Schemas["SearchHit"];

const pageSize = 20;
const types = ["Folder", "File", "Model", "Record"] as const;

interface Asked {
  q: string;
  type: typeof types[number] | undefined;
  format: string;
  year: string;
  folder: string;
}

function asked(): Asked {
  const q = query.value, year = q.get("year") ?? "";
  return {
    q: q.get("q") ?? "", type: types.find((t) => t === q.get("type")), format: q.get("format") ?? "",
    year: /^\d{4}$/.test(year) ? year : "", folder: q.get("in") ?? "",
  };
}

function parameters({ q, type, format, year, folder }: Asked): {
  q: string; type?: typeof types[number]; format?: string; parentId?: string; from?: string; to?: string;
} {
  return {
    q, ...type ? { type } : {}, ...format ? { format } : {}, ...folder ? { parentId: folder } : {},
    ...year ? { from: `${year}-01-01T00:00:00Z`, to: `${Number(year) + 1}-01-01T00:00:00Z` } : {},
  };
}

export default function SearchPage({ Elsewhere }: PageProps): JSX.Element {
  const now = asked(), key = JSON.stringify(now), filtered = Boolean(now.type || now.format || now.year || now.folder);
  const [about, setAbout] = useState<Result>();
  const list = useMemo(() => new Endless<Hit>(async (cursor) => {
    const page = await api.GET("/v1/library/search", {
      params: { query: { ...parameters(now), limit: pageSize, ...cursor ? { cursor } : {} } },
    }).then(data).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === "search-syntax"
        ? new Error(error.problem.errors?.map((e) => e.message).join(" ") || error.message)
        : error;
    });
    if (!cursor) setAbout(page);
    return { items: page.hits, cursor: page.nextCursor };
  }, (hit) => hit.node.id), [key]);
  useEffect(() => {
    if (now.q) list.refresh();
    else setAbout(undefined);
  }, [list]);
  const clear = (): void => setQuery({ type: "", format: "", year: "", in: "" });
  return (
    <Page
      title="Search"
      lead="Search names, titles and text in your library, in items shared with you, in public items, and in the other areas."
    >
      <form class="search-box" role="search" onSubmit={(event) => {
        event.preventDefault();
        setQuery({ q: new FormData(event.currentTarget).get("q")?.toString().trim() ?? "" });
      }}>
        <label class="search-field grow">
          <Search />
          <span class="visually-hidden">Search terms</span>
          <input
            key={now.q} name="q" type="search" autofocus={now.q === ""} maxLength={500}
            defaultValue={now.q} placeholder="Search terms"
          />
        </label>
        <Button type="submit" kind="primary">Search</Button>
      </form>
      <TagChips q={now.q} />
      <details class="help" open={now.q === ""}>
        <summary>How to search</summary>
        <dl class="facts wide">
          <div><dt><code>annual report</code></dt><dd>both words or other forms of them, in any order</dd></div>
          <div><dt><code>"annual report"</code></dt><dd>exactly these words, in this order</dd></div>
          <div><dt><code>rep*</code></dt><dd>words with this prefix of at least 2 characters</dd></div>
          <div><dt><code>report -draft</code></dt><dd>the first word but not the second</dd></div>
          <div><dt><code>title:report author:ann</code></dt><dd>words in the title, author, name, subject, keywords or text</dd></div>
          <div><dt><code>report type:pdf in:Reports</code></dt><dd>the word in files of a type, or in a folder</dd></div>
          <div><dt><code>report after:2026-01 size:&gt;10MB</code></dt><dd>the word in files since a date, or above a size</dd></div>
          <div><dt><code>report tag:budget</code></dt><dd>the word in items that you have tagged</dd></div>
        </dl>
      </details>
      {now.q && (
        <div class="search-columns">
          <Facets about={about} now={now} filtered={filtered} clear={clear} />
          <div class="search-hits">
            {content()}
            {Elsewhere && !filtered && <Elsewhere q={now.q} shown="library" />}
          </div>
        </div>
      )}
    </Page>
  );

  function content(): JSX.Element {
    if (list.error.value) return <ErrorState title="Search failed" error={list.error.value} retry={() => list.refresh()} />;
    if (!list.begun.value) return <Loading what="the results"><Skeleton rows={6} height={104} /></Loading>;
    const hits = list.items.value;
    if (hits.length === 0 && list.more.value) {
      list.next();
      return <Loading what="the results"><Skeleton rows={6} height={104} /></Loading>;
    }
    if (hits.length === 0) return <Nothing now={now} filtered={filtered} clear={clear} />;
    return (
      <>
        <p class="soft hits-count" role="status">
          {about && `${about.totalIsMinimum ? "More than " : ""}${counted(about.total, "result")}, best first`}
        </p>
        <ul class="hits" aria-label="Results">{hits.map((hit) => <One key={hit.node.id} hit={hit} q={now.q} />)}</ul>
        {list.more.value
          ? <p class="list-end"><Button onClick={() => list.next()}>Show more results</Button></p>
          : <p class="list-end">End of results</p>}
      </>
    );
  }
}

function Nothing({ now, filtered, clear }: { now: Asked; filtered: boolean; clear: () => void }): JSX.Element {
  const words = now.q.match(/[\p{L}\p{N}]+/gu) ?? [];
  const others = [
    ...now.q.includes("\"") || /(^|\s)-/.test(now.q) ? [words.join(" ")] : [],
    ...words.length > 1 ? words.slice(0, 3) : [],
    ...words.length === 1 && (words[0]?.length ?? 0) > 3 && !now.q.includes("*") ? [
      `${words[0]?.slice(0, Math.max(2, Math.ceil((words[0]?.length ?? 0) * 0.6)))}*`,
    ] : [],
  ].filter((o, i, all) => o && o !== now.q && all.indexOf(o) === i);
  return (
    <EmptyState icon={Search} title="No results" action={<>
      {filtered && <Button icon={Close} onClick={clear}>Clear filters</Button>}
      {others.map((o) => <Button key={o} onClick={() => setQuery({ q: o })}>Try {o}</Button>)}
      {!filtered && others.length === 0 && <ButtonLink href="/library">Open the library</ButtonLink>}
    </>}>
      No name, title or text contains all of these words{filtered && " with the selected filters"}. Items in the trash are not
      searched, and new files are searchable after a second.
    </EmptyState>
  );
}

const places = new Map<string, Promise<Node>>();

/** The name of a folder. */
function Place({ id }: { id: string }): JSX.Element | null {
  const [node, setNode] = useState<Node>();
  useEffect(() => {
    const read = places.get(id) ?? readNode(id);
    places.set(id, read);
    read.then(setNode, () => places.delete(id));
  }, [id]);
  return node ? <a href={hrefOf(node)}><Bdi text={nameOf(node)} /></a> : null;
}

const fields: Partial<Record<Schemas["Snippet"]["field"], string>> = {
  title: "Title", author: "Author", byline: "Author", subject: "Subject", keywords: "Keywords", attachmentNames: "Attached file",
};

function One({ hit: { node, snippets, textCut }, q }: { hit: Hit; q: string }): JSX.Element {
  const title = snippets.find((s) => s.field === "name"), others = snippets.filter((s) => s.field !== "name");
  return (
    <li class="card hit">
      <Thumbnail node={node} size={80} />
      <div class="grow">
        <a class="name" href={hrefOf(node)}>{title ? <Marked parts={title.parts} /> : <Bdi text={nameOf(node)} />}</a>
        {others.map((s, i) => (
          <p key={i} class="snippet">
            {fields[s.field] && <span class="soft">{fields[s.field]}: </span>}
            {s.field === "text" && <><a href={foundAt(node, q, s)}><Bdi text={placeOf(s) || "Text"} /></a>: </>}
            <Marked parts={s.parts} />
          </p>
        ))}
        {textCut && <p class="sub">The text is searched in part: {visible(textCut)}.</p>}
        <p class="sub hit-facts">
          {kindOf(node)}
          {sizeOf(node) && <> · {sizeOf(node)}</>}
          {node.createdAt && <> · <Time iso={node.createdAt} /></>}
          {node.parentId && node.ownedBy === owner.value && <> · in <Place id={node.parentId} /></>}
        </p>
      </div>
    </li>
  );
}

function Facets({ about, now, filtered, clear }: {
  about: Result | undefined; now: Asked; filtered: boolean; clear: () => void;
}): JSX.Element {
  const groups = [
    { key: "type", label: "Kind", chosen: now.type ?? "", of: about?.facets.type ?? [] },
    { key: "format", label: "Format", chosen: now.format, of: about?.facets.format ?? [] },
    { key: "year", label: "Year", chosen: now.year, of: about?.facets.year ?? [] },
  ];
  return (
    <aside class="facets" aria-label="Filters">
      {now.folder && (
        <section>
          <h2>Folder</h2>
          <p class="facet-chosen">
            <Place id={now.folder} />
            <IconButton icon={Close} label="Search in all folders" onClick={() => setQuery({ in: "" })} />
          </p>
        </section>
      )}
      {groups.map(({ key, label, chosen, of }) => (of.length > 0 || chosen) && (
        <section key={key}>
          <h2>{label}</h2>
          <ul>{[...of, ...chosen && !of.some((f) => f.value === chosen) ? [{ value: chosen, count: 0 }] : []].map((f) => (
            <li key={f.value}>
              <button
                type="button" class="facet" aria-pressed={f.value === chosen}
                onClick={() => setQuery({ [key]: f.value === chosen ? "" : f.value })}
              >
                <Bdi text={f.value || "none"} clip />
                <span class="num">{count(f.count)}</span>
              </button>
            </li>
          ))}</ul>
        </section>
      ))}
      {filtered && <Button kind="quiet" onClick={clear}>Clear all</Button>}
    </aside>
  );
}
