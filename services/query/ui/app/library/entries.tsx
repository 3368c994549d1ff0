// The files in a zip archive.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { message } from "../api/client.js";
import { ButtonLink } from "../ui/button.js";
import { EmptyState, Loading, Skeleton } from "../ui/feedback.js";
import { Download, FileIcon } from "../ui/icon.js";
import { Bdi, bytes, counted } from "../ui/text.js";
import { type Archive, entriesOf } from "./archive.js";
import { contentOf, type Node } from "./view.js";

const shown = 1000; // rows

export const isArchive = (node: Node): boolean => /\.zip$/i.test(node.name) && node.status !== "Loading" && (node.length ?? 0) > 0;

export function Entries({ node }: { node: Node }): JSX.Element {
  const [archive, setArchive] = useState<Archive>(), [error, setError] = useState("");
  useEffect(() => {
    setError("");
    entriesOf(node.length ?? 0, async (from, to) => {
      const response = await fetch(contentOf(node), { headers: { Range: `bytes=${from}-${to - 1}` } });
      if (!response.ok) throw new Error("The content could not be read.");
      const content = await response.arrayBuffer();
      return response.status === 206 ? content : content.slice(from, to);
    }).then(setArchive, (failed: unknown) => setError(message(failed)));
  }, [node.id, node.version]);
  if (error) {
    return (
      <EmptyState icon={FileIcon} title="No preview available" action={
        <ButtonLink icon={Download} href={contentOf(node)} download>Download</ButtonLink>
      }>
        {error}
      </EmptyState>
    );
  }
  if (!archive) return <Loading what="the files"><Skeleton height={320} /></Loading>;
  const { entries, total } = archive, files = entries.filter((e) => !e.isFolder);
  return (
    <section class="card flush" aria-label="Files in the archive">
      <div class="scroll-x" role="group" aria-label="Table, scrollable" tabIndex={0}>
        <table class="grid">
          <thead><tr><th scope="col">Name</th><th scope="col" class="end">Size</th></tr></thead>
          <tbody>
            {files.slice(0, shown).map((e, i) => (
              <tr key={i}><th scope="row"><Bdi text={e.name} /></th><td class="end">{bytes(e.size)}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="list-end">
        {files.length > shown || entries.length < total
          ? `The first ${counted(Math.min(shown, files.length), "file")} of ${counted(total, "entry", "entries")}`
          : counted(files.length, "file")}
      </p>
    </section>
  );
}
