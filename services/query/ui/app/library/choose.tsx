// A list to choose a file with records from: the newest ones, or those whose names or texts contain words.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Loading, Skeleton } from "../ui/feedback.js";
import { Search } from "../ui/icon.js";
import { Bdi } from "../ui/text.js";
import { recordsOf, Thumbnail } from "./parts.js";
import { isFinal, kindOf, type Node, nameOf } from "./view.js";

const perPage = 200, found = 50; // files of a page, and of a search
const pause = 300; // ms after the last key before a search

const usable = (nodes: Node[]): Node[] => nodes.filter((n) => isFinal(n) && n.totalRecords);

async function newest(cursor: string | undefined): Promise<{ files: Node[]; cursor?: string }> {
  const page = await api.GET("/v1/library/nodes", {
    params: { query: { type: "File", limit: perPage, ...cursor ? { cursor } : {} } },
  }).then(data);
  return { files: usable(page.nodes), ...page.nextCursor ? { cursor: page.nextCursor } : {} };
}

async function matching(words: string): Promise<{ files: Node[]; cursor?: string }> {
  const q = /[\p{L}\p{N}]{2}$/u.test(words) ? `${words}*` : words; // the last word may be incomplete
  const page = await api.GET("/v1/library/search", { params: { query: { q, type: "File", limit: found } } }).then(data);
  return { files: usable(page.hits.map((hit) => hit.node)) };
}

export function ChooseFile({ chosen, choose }: { chosen: Node | undefined; choose: (file: Node) => void }): JSX.Element {
  const [words, setWords] = useState(""), [files, setFiles] = useState<Node[]>(), [cursor, setCursor] = useState<string>();
  const [error, setError] = useState("");
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      (words ? matching(words) : newest(undefined)).then((page) => {
        if (!current) return;
        setFiles(page.files);
        setCursor(page.cursor);
        setError("");
      }, (failed: unknown) => { if (current) setError(message(failed)); });
    }, words ? pause : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [words]);
  const more = (): void => {
    newest(cursor).then((page) => {
      setFiles([...files ?? [], ...page.files]);
      setCursor(page.cursor);
    }, (failed: unknown) => setError(message(failed)));
  };
  return (
    <>
      <label class="search-field file-search">
        <Search />
        <span class="visually-hidden">Find a file</span>
        <input
          data-focus type="search" maxLength={500} placeholder="Find a file" value={words}
          onInput={(event) => setWords(event.currentTarget.value.trim())}
        />
      </label>
      {error && <p class="wrong" role="alert">{error}</p>}
      {!files && !error && <Loading what="the files"><Skeleton rows={4} height={55} /></Loading>}
      {files && (
        <ul class="file-list" aria-label="Files with records">
          {files.map((f) => (
            <li key={f.id}>
              <label>
                <input type="radio" name="file" checked={chosen?.id === f.id} onChange={() => choose(f)} />
                <Thumbnail node={f} size={80} />
                <span class="grow">
                  <Bdi text={nameOf(f)} clip />
                  <span class="sub">{kindOf(f)} · {recordsOf(f)}</span>
                </span>
              </label>
            </li>
          ))}
          {files.length === 0 && <li class="soft">{words ? "No file with records matches." : "No file has records."}</li>}
          {cursor && <li><Button kind="quiet" onClick={more}>Show older files</Button></li>}
        </ul>
      )}
    </>
  );
}
