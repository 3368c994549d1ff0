// A page, slide or sheet of a file, with the words of a search.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError, data, message, type Schemas } from "../api/client.js";
import { query, setQuery } from "../router.js";
import { Button, IconButton } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { ChevronLeft, ChevronRight, FileIcon } from "../ui/icon.js";
import { Bdi, count } from "../ui/text.js";
import { linkToken, type Node, nameOf, pictureOf, shownAt } from "./view.js";

type TextPage = Schemas["TextPage"];
type TextPart = TextPage["parts"][number];

/** The page that the address names, and what is marked on it; undefined without either. */
export function wanted(): { page: number; q: string } | undefined {
  const page = Number(query.value.get("page")), q = query.value.get("q") ?? "";
  return page >= 1 || q ? { page: Math.max(1, Math.floor(page) || 1), q } : undefined;
}

const labels = { page: "Page", slide: "Slide", sheet: "Sheet" };

export default function Pages({ node, page, q }: { node: Node; page: number; q: string }): JSX.Element {
  const [shown, setShown] = useState<TextPage>(), [error, setError] = useState<Error>(), [turn, setTurn] = useState(0);
  useEffect(() => {
    let stale = false;
    setError(undefined);
    const params = { path: { id: node.id, page }, query: { ...q ? { q } : {}, ...linkToken() } };
    api.GET("/v1/library/files/{id}/pages/{page}", { params }).then(data)
      .then((read) => { if (!stale) setShown(read); }, (failed: unknown) => {
        if (!stale) setError(failed instanceof Error ? failed : new Error(message(failed)));
      });
    return () => { stale = true; };
  }, [node.id, page, q, turn]);
  const all = <Button kind="quiet" onClick={() => setQuery({ page: "", q: "" })}>Show the complete file</Button>;
  if (error instanceof ApiError && error.status === 404) {
    return <EmptyState icon={FileIcon} title="No such page" action={all}>{error.message}</EmptyState>;
  }
  if (error) return <ErrorState title="Could not load the page" error={error.message} retry={() => setTurn((n) => n + 1)} />;
  if (!shown || shown.page !== page) return <Loading what="the page"><Skeleton height={480} /></Loading>;
  const label = labels[shown.pageType], name = shown.sheet ? `${label} ${shown.sheet}` : `${label} ${count(page)}`;
  const go = (to: number): void => setQuery({ page: String(to) });
  return (
    <div class="paged">
      <div class="pages-bar">
        {shown.pages > 1 && (
          <IconButton icon={ChevronLeft} label={`Previous ${shown.pageType}`} disabled={page <= 1} onClick={() => go(page - 1)} />
        )}
        <p role="status">
          {shown.pages > 1
            ? <><Bdi text={name} />{shown.sheet ? `, ${count(page)}` : ""} of {count(shown.pages)}</>
            : shown.sheet ? <Bdi text={name} /> : "Text"}
        </p>
        {shown.pages > 1 && (
          <IconButton icon={ChevronRight} label={`Next ${shown.pageType}`} disabled={page >= shown.pages} onClick={() => go(page + 1)} />
        )}
        <span class="pages-links">
          {node.subType === "Pdf" && <a href={`${shownAt(node)}#page=${page}`} target="_blank" rel="noreferrer">Open as PDF</a>}
          {all}
        </span>
      </div>
      {shown.width && shown.height
        ? (
          <div class="document">
            <Drawn node={node} shown={shown} width={shown.width} height={shown.height} />
            <Marks shown={shown} />
          </div>
        )
        : <Marks shown={shown} />}
    </div>
  );
}

/** The text of a page, scrolled to the first mark. */
function Marks({ shown }: { shown: TextPage }): JSX.Element {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    const first = card.current?.querySelector("mark");
    if (first && card.current) card.current.scrollTop = first.offsetTop - card.current.offsetTop - card.current.clientHeight / 3;
  }, [shown]);
  const blank = shown.parts.every((p) => p.text.trim() === "");
  return (
    <section ref={card} class="card text-card" aria-label="Text" tabIndex={0}>
      {blank
        ? <p class="soft">The {shown.pageType} has no text.</p>
        : <pre class="text" dir="auto">{joined(shown.parts).map((p, i) => p.match ? <mark key={i}>{p.text}</mark> : p.text)}</pre>}
      {shown.cut && <p class="list-end">This is a part of the {shown.pageType}.</p>}
    </section>
  );
}

/** Parts without their boxes. Adjacent parts of one kind are joined. */
function joined(parts: TextPart[]): { text: string; match: boolean }[] {
  const all: { text: string; match: boolean }[] = [];
  for (const { text, match = false } of parts) {
    const last = all.at(-1);
    if (last?.match === match) last.text += text;
    else all.push({ text, match });
  }
  return all;
}

/** The picture of a page with its marks. Of pages without a picture it shows the words where they are. */
function Drawn({ node, shown, width, height }: { node: Node; shown: TextPage; width: number; height: number }): JSX.Element {
  const picture = shown.page === 1 ? pictureOf(node, 1200) : undefined, placed = shown.parts.filter((p) => p.box);
  return (
    <figure class="page-picture">
      <div class="page-drawn" style={{ aspectRatio: `${width} / ${height}`, maxWidth: `${80 * width / height}dvh` }}>
        {picture && <img src={picture.src} width={picture.width} height={picture.height} alt="" />}
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Page ${count(shown.page)} of ${nameOf(node)}`}>
          {placed.map((p, i) => p.match && p.box && (
            <rect
              key={i} class="page-mark" x={p.box.left * width} y={p.box.top * height}
              width={p.box.width * width} height={p.box.height * height} rx="1"
            />
          ))}
          {!picture && placed.map((p, i) => p.box && <Word key={i} text={p.text.trim()} box={p.box} width={width} height={height} />)}
        </svg>
      </div>
      {!picture && <figcaption class="list-end">Without the pictures, lines and fonts of the page</figcaption>}
    </figure>
  );
}

/** A word where it is on its page, as wide as it is there. */
function Word({ text, box, width, height }: { text: string; box: Schemas["Box"]; width: number; height: number }): JSX.Element {
  const wide = box.width * width, high = box.height * height, left = box.left * width, top = box.top * height;
  const down = text.length > 2 && high > 2 * wide, x = down ? left + wide * 0.2 : left, y = down ? top : top + high * 0.8;
  return (
    <text
      x={x} y={y} font-size={(down ? wide : high) * 0.85} textLength={down ? high : wide} lengthAdjust="spacingAndGlyphs"
      transform={down ? `rotate(90 ${x} ${y})` : undefined}
    >
      {text}
    </text>
  );
}
