// The preview of a file, depending on its kind.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message, refusal } from "../api/client.js";
import { identityHeaders } from "../api/identity.js";
import { setQuery } from "../router.js";
import { Button, ButtonLink } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Download, FileIcon } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { Bdi, count } from "../ui/text.js";
import { textOf } from "./article.js";
import { Code, languageOf } from "./code.js";
import { Drawing, Turnable } from "./drawing.js";
import { Entries, isArchive } from "./entries.js";
import { Markdown } from "./markdown.js";
import Pages, { wanted } from "./pages.js";
import { readMetadata } from "./nodes.js";
import { contentOf, drawn, hrefOf, isFinal, linkToken, type Node, nameOf, pictureOf, type RecordRow, shownAt } from "./view.js";
import { Waiting } from "./waiting.js";

const Paged = lazy(() => import("./paged.js"));

const longest = 200_000; // characters of a text that are shown at first
const most = 8 * 1024 * 1024; // bytes of a text that are loaded

export function Preview({ node }: { node: Node }): JSX.Element {
  if (!isFinal(node) && !pictureOf(node, 1)) return <Waiting node={node} />;
  const found = wanted();
  if (found) return <Pages node={node} {...found} />;
  if (drawn(node) && node.totalRecords) return <Drawings node={node} />;
  if ((node.preview === "rows" || node.preview === "document") && node.totalRecords) return <Rows node={node} />; // a workbook, too
  const picture = pictureOf(node, 1200);
  switch (node.preview) {
    case "text": return <Text node={node} />;
    case "article": return <Web node={node} />;
    case "document":
      return picture ? <Document node={node} picture={picture} /> : <Text node={node} {...isOffice(node) ? { read: readPages } : {}} />;
  }
  if (picture) {
    return (
      <figure class="picture">
        <a href={shownAt(node)} target="_blank" rel="noreferrer">
          <img src={picture.src} width={picture.width} height={picture.height} alt={nameOf(node)} />
        </a>
      </figure>
    );
  }
  if (isArchive(node)) return <Entries node={node} />;
  if (node.preview === "none" && languageOf(node.name) && (node.length ?? Infinity) <= longest) {
    return <Text node={node} read={readContent} />;
  }
  return (
    <EmptyState
      icon={FileIcon} title="No preview available"
      action={node.status === "Loading" ? undefined : <ButtonLink icon={Download} href={contentOf(node)} download>Download</ButtonLink>}
    >
      {node.status === "Failed"
        ? "The content could not be read. See the steps for the reason."
        : "Files of this kind are stored as they are."}
    </EmptyState>
  );
}

const isOffice = (node: Node): boolean => node.preview === "document" && node.subType !== "Pdf";

/** The first page and the text. The browser's own viewer shows the other pages of a PDF. */
function Document({ node, picture }: { node: Node; picture: NonNullable<ReturnType<typeof pictureOf>> }): JSX.Element {
  const [pages, setPages] = useState(0);
  useEffect(() => {
    readMetadata(node.id).then((m) => setPages(typeof m["pages"] === "number" ? m["pages"] : 0), () => undefined);
  }, [node.id]);
  return (
    <div class="document">
      <figure class="page-picture">
        <img src={picture.src} width={picture.width} height={picture.height} alt={`First page of ${nameOf(node)}`} />
        {pages > 1 && (
          <figcaption class="list-end">
            Page 1 of {count(pages)}.{" "}
            {node.subType === "Pdf"
              ? <a href={shownAt(node)} target="_blank" rel="noreferrer">Open all pages</a>
              : <a href={contentOf(node)} download>Download all pages</a>}
          </figcaption>
        )}
      </figure>
      <Text node={node} title="Text" {...isOffice(node) ? { read: readPages } : {}} />
    </div>
  );
}

async function readFrom(path: string): Promise<string> {
  const response = await fetch(path + new URLSearchParams(linkToken()).toString(), { headers: identityHeaders() });
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  return beginning(response);
}

/** Reads the beginning of a text, and says so if there is more. */
async function beginning(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "", size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    size += value.length;
    if (size < most) continue;
    await reader.cancel();
    return text + "\n\n[Only the first 8 MiB are shown. Download the file to read the rest.]";
  }
}

/** Reads the content of a file, which the browser authenticates with a cookie, because it is redirected to the bucket. */
async function readContent(node: Node): Promise<string> {
  const response = await fetch(contentOf(node));
  if (!response.ok) throw refusal(response.status, undefined);
  return beginning(response);
}

const readPages = (node: Node): Promise<string> => readFrom(`/v1/library/files/${encodeURIComponent(node.id)}/text?`);
const readText = (node: Node): Promise<string> => readPages(node).then((text) => text.replaceAll("\f", "\n\n"));
const readArticle = (node: Node): Promise<string> => readFrom(`/v1/library/files/${encodeURIComponent(node.id)}/reader?`).then(textOf);

/** Loads a text of a file, unless read is undefined. */
function useText(node: Node, read: typeof readText | undefined = readText): {
  text: string | undefined; error: Error | undefined; retry: () => void;
} {
  const [text, setText] = useState<string>(), [error, setError] = useState<Error>(), [turn, setTurn] = useState(0);
  useEffect(() => {
    let stale = false;
    setText(undefined);
    setError(undefined);
    read?.(node).then(
      (loaded) => { if (!stale) setText(loaded); },
      (failed: unknown) => { if (!stale) setError(failed instanceof Error ? failed : new Error(message(failed))); },
    );
    return () => { stale = true; };
  }, [node.id, read, turn]);
  return { text, error, retry: () => setTurn((n) => n + 1) };
}

function Text({ node, title, read }: { node: Node; title?: string; read?: typeof readText }): JSX.Element {
  const { text, error, retry } = useText(node, read), [all, setAll] = useState(false), [source, setSource] = useState(false);
  if (error instanceof ApiError && error.status === 404) {
    return <EmptyState icon={FileIcon} title="No text available">{error.message}</EmptyState>;
  }
  if (error) return <ErrorState title="Could not load the text" error={error.message} retry={retry} />;
  if (text === undefined) return <Loading what="the text"><Skeleton height={480} /></Loading>;
  const cut = !all && text.length > longest, shown = cut ? text.slice(0, longest) : text;
  const language = languageOf(node.name), markdown = !title && /\.(md|markdown)$/i.test(node.name);
  return (
    <section class="card text-card" {...title ? { "aria-label": title } : {}}>
      {markdown && (
        <p class="text-views">
          <Button kind="quiet" onClick={() => setSource(!source)}>{source ? "Show the page" : "Show the source"}</Button>
        </p>
      )}
      {text.trim() === ""
        ? <p class="soft">The file has no text.</p>
        : read === readPages ? <Paged node={node} text={shown} />
        : markdown && !source ? <Markdown text={shown} />
        : language && !all ? <Code text={shown} language={language} />
        : <pre class="text" dir="auto">{shown}</pre>}
      {cut && <p class="list-end"><Button onClick={() => setAll(true)}>Show all {count(text.length)} characters</Button></p>}
    </section>
  );
}

/** The article of a web page, or its complete text. */
function Web({ node }: { node: Node }): JSX.Element {
  const picture = pictureOf(node, 600), [about, setAbout] = useState<Record<string, unknown>>(), [complete, setComplete] = useState(false);
  useEffect(() => { readMetadata(node.id).then(setAbout, () => setAbout({})); }, [node.id]);
  const article = about?.["article"] === true;
  const { text, error } = useText(node, about && (article && !complete ? readArticle : readText));
  const value = (name: string): string => typeof about?.[name] === "string" ? about[name] : "";
  const source = [value("address"), value("url"), value("origin"), value("canonical")].find((u) => /^https?:/.test(u));
  if (error) return <EmptyState icon={FileIcon} title="No text available">{error.message}</EmptyState>;
  return (
    <article class="card reader">
      {value("title") && <h2><Bdi text={value("title")} /></h2>}
      {(value("byline") || source) && (
        <p class="soft">
          <Bdi text={value("byline")} />
          {source && <> <a href={source} target="_blank" rel="noreferrer noopener"><Bdi text={new URL(source).host} /></a></>}
        </p>
      )}
      {picture && <img src={picture.src} width={picture.width} height={picture.height} alt="" />}
      {text === undefined && <Loading what="the text"><Skeleton rows={12} height={20} /></Loading>}
      {text?.trim() === "" && <p class="soft"><Bdi text={value("noText") || "The page has no text."} /></p>}
      {text?.split("\n").filter((p) => p.trim()).slice(0, 2000).map((p, i) => <p key={i} dir="auto">{p}</p>)}
      {article && text !== undefined && (
        <p class="list-end">
          <Button onClick={() => setComplete(!complete)}>{complete ? "Show the article" : "Show the text of the complete page"}</Button>
        </p>
      )}
    </article>
  );
}

function useRecords(node: Node, limit: number): { records: RecordRow[] | undefined; error: string; retry: () => void } {
  const [records, setRecords] = useState<RecordRow[]>(), [error, setError] = useState(""), [turn, setTurn] = useState(0);
  useEffect(() => {
    setError("");
    api.GET("/v1/library/files/{id}/records", { params: { path: { id: node.id }, query: { limit, ...linkToken() } } }).then(data)
      .then((page) => setRecords(page.records), (failed: unknown) => setError(message(failed)));
  }, [node.id, limit, turn]);
  return { records, error, retry: () => setTurn((n) => n + 1) };
}

const allRecords = (node: Node): JSX.Element => (
  <Button onClick={() => setQuery({ tab: "records" })}>Show all {count(node.totalRecords ?? 0)} records</Button>
);

/** Molecules, reactions, crystals and spectra. */
function Drawings({ node }: { node: Node }): JSX.Element {
  const some = node.preview === "curves" ? 4 : 12, { records, error, retry } = useRecords(node, some), total = node.totalRecords ?? 0;
  if (error) return isFinal(node) ? <ErrorState title="Could not load the records" error={error} retry={retry} /> : <Waiting node={node} />;
  if (!records) return <Loading what="the records"><Skeleton height={480} /></Loading>;
  return (
    <>
      <ul class={`drawings ${node.preview === "curves" || total === 1 ? "large" : ""}`} aria-label="Records">
        {records.map((r) => (
          <li key={r.index} class="card">
            {total === 1 ? <Turnable node={node} record={r} /> : <Drawing id={node.id} record={r} />}
            <div class="drawing-caption">
              <a href={`${hrefOf(node)}${hrefOf(node).includes("?") ? "&" : "?"}tab=records&record=${r.index}`}>
                <Bdi text={r.name || `Record ${count(r.index + 1)}`} clip />
              </a>
              <span class="sub clip"><Bdi text={brief(r)} clip /></span>
            </div>
          </li>
        ))}
      </ul>
      {total > records.length && <p class="list-end">{allRecords(node)}</p>}
    </>
  );
}

function brief(r: RecordRow): string {
  if (r.error) return r.error;
  const values = ["formula", "spaceGroup", "dataType", "reactantFormulas"].map((name) => r.properties[name]);
  return values.find((v): v is string => typeof v === "string") ?? "";
}

function Rows({ node }: { node: Node }): JSX.Element {
  const { records, error, retry } = useRecords(node, 20);
  if (error) return <ErrorState title="Could not load the rows" error={error} retry={retry} />;
  if (!records) return <Loading what="the rows"><Skeleton height={480} /></Loading>;
  const names = [...new Set(records.flatMap((r) => Object.keys(r.fields)))].slice(0, 30);
  return (
    <>
      <div class="card flush scroll-x" role="region" aria-label="First rows" tabIndex={0}>
        <table class="grid">
          <thead><tr>{names.map((n) => <th key={n} scope="col"><Bdi text={n} /></th>)}</tr></thead>
          <tbody>{records.map((r) => <tr key={r.index}>{names.map((n) => <td key={n}><Bdi text={r.fields[n] ?? ""} /></td>)}</tr>)}</tbody>
        </table>
      </div>
      {(node.totalRecords ?? 0) > records.length && <p class="list-end">{allRecords(node)}</p>}
    </>
  );
}
