import type { JSX } from "preact";
import { ProgressBar } from "../ui/feedback.js";
import { count } from "../ui/text.js";
import { progress } from "./nodes.js";
import { isModel, type Node } from "./view.js";

/** A placeholder for results that exist only after processing. */
export function Waiting({ node }: { node: Node }): JSX.Element {
  const done = progress.value.get(node.id);
  const text = isModel(node)
    ? node.status === "Loaded" ? "The model is waiting to be trained." : "The model is being trained."
    : node.status === "Loading"
    ? "The upload is not complete. To resume it, choose the file again in its folder."
    : node.status === "Loaded" ? "The file is stored and is waiting to be processed."
    : "The file is being processed.";
  return (
    <section class="card waiting" aria-live="polite">
      <p>{text} This page updates automatically.{node.totalRecords ? ` ${count(node.totalRecords)} records were found.` : ""}</p>
      <ProgressBar label="Processing" {...done === undefined ? {} : { value: done }} />
    </section>
  );
}
