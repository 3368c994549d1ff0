// Components that lists and pages of nodes share.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, ProgressBar } from "../ui/feedback.js";
import { count } from "../ui/text.js";
import { progress } from "./nodes.js";
import { iconOf, isFolder, isModel, type Node, pictureOf, states } from "./view.js";

/** The status of a file, with progress while it is processed. */
export function State({ node }: { node: Node }): JSX.Element | null {
  if (isFolder(node)) return null;
  const { tone } = states[node.status], label = isModel(node) && tone === "active" ? "Training" : states[node.status].label;
  const done = progress.value.get(node.id);
  if (tone === "active" && done !== undefined) {
    return <span class="doing"><Badge tone={tone}>{label}</Badge><ProgressBar label="Steps" value={done} /></span>;
  }
  return <Badge tone={tone}>{label}</Badge>;
}

/** The thumbnail of a node, or the icon of its kind, in a box of fixed size. */
export function Thumbnail({ node, size, large }: { node: Node; size: number; large?: boolean }): JSX.Element {
  const picture = pictureOf(node, size), Icon = iconOf(node), [broken, setBroken] = useState(false);
  return (
    <span class={`thumbnail ${isFolder(node) ? "of-folder" : ""} ${large ? "large" : ""}`}>
      {picture && !broken
        ? (
          <img
            src={picture.src} width={picture.width} height={picture.height} alt="" loading="lazy"
            draggable={false} onError={() => setBroken(true)}
          />
        )
        : <Icon />}
    </span>
  );
}

export const recordsOf = (node: Node): string => node.totalRecords
  ? `${count(node.totalRecords)} ${node.totalRecords === 1 ? "record" : "records"}`
  : "";
