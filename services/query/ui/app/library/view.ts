// Names, icons and addresses of nodes.
import type { ComponentType } from "preact";
import type { Schemas } from "../api/client.js";
import { query } from "../router.js";
import type { Tone } from "../ui/feedback.js";
import { Curve, FileIcon, FileText, Folder, Globe, Image, Model, Molecule, TableIcon } from "../ui/icon.js";
import { bytes } from "../ui/text.js";

export type Node = Schemas["NodeView"];
export type Status = Node["status"];
export type RecordRow = Schemas["RecordView"];

export const states: Record<Status, { label: string; tone: Tone }> = {
  Created: { label: "Folder", tone: "neutral" },
  Loading: { label: "Uploading", tone: "neutral" },
  Loaded: { label: "Waiting", tone: "neutral" },
  Parsing: { label: "Processing", tone: "active" },
  Parsed: { label: "Processing", tone: "active" },
  Processing: { label: "Processing", tone: "active" },
  Processed: { label: "Done", tone: "good" },
  ProcessedPartially: { label: "Partly done", tone: "warn" },
  Failed: { label: "Failed", tone: "bad" },
};

const icons: Record<NonNullable<Node["preview"]>, ComponentType> = {
  none: FileIcon, picture: Image, text: FileText, document: FileText, article: Globe, rows: TableIcon, drawings: Molecule, curves: Curve,
};

export const isFolder = (node: Node): boolean => node.type === "Folder" || node.type === "User";
export const isModel = (node: Node): boolean => node.type === "Model";
/** Reports whether a file has the predictions of a model. */
export const isPrediction = (node: Node): boolean => node.subType === "Prediction";
export const isFinal = (node: Node): boolean =>
  node.status === "Processed" || node.status === "ProcessedPartially" || node.status === "Failed";
/** Reports whether the caller owns the node. Only the owner may change it. */
export const isOwn = (node: Node): boolean => node.ownedBy !== undefined;

export const iconOf = (node: Node): ComponentType => isFolder(node) ? Folder : isModel(node) ? Model : icons[node.preview ?? "none"];
export const kindOf = (node: Node): string => isFolder(node) ? "Folder" : node.kind ?? "File";
/** The size of the content of a file; empty for others, and for what the library makes itself. */
export const sizeOf = (node: Node): string =>
  node.length === undefined || isModel(node) || isPrediction(node) ? "" : bytes(node.length);
export const nameOf = (node: Node): string => node.displayName || (node.type === "User" ? "Library" : node.name);

/** Why a file failed, or what is missing, without the names of the steps. */
export const reasonOf = (node: { errorMessage?: string }): string => withoutSteps(node.errorMessage ?? "");

export function withoutSteps(reason: string): string {
  const text = reason.replace(/(^|; )(?:start|fetch|convert|metadata|text|thumbnails|parse|records|finish|chunk\/\d+): /g, "$1");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Reports whether the records of a file are shown as drawings. */
export const drawn = (node: Node): boolean => node.preview === "drawings" || node.preview === "curves";

/** The token of the share link with which the page is read, if any. */
export const linkToken = (): { link?: string } => {
  const link = query.value.get("link");
  return link ? { link } : {};
};

function withLink(address: string, parameters: Record<string, string> = {}): string {
  const text = new URLSearchParams({ ...parameters, ...linkToken() }).toString();
  return text ? `${address}?${text}` : address;
}

/** The page of the node with an id. */
export const addressOf = (id: string): string => withLink(`/library/${encodeURIComponent(id)}`);
export const hrefOf = (node: Node): string => node.type === "User" && isOwn(node) ? withLink("/library") : addressOf(node.id);

type Snippet = Schemas["Snippet"];

/** Where the words of a snippet of a text are; empty in a text without pages. */
export function placeOf({ page, pageType, sheet }: Snippet): string {
  if (!page) return "";
  return sheet ? `Sheet ${sheet}` : `${{ page: "Page", slide: "Slide", sheet: "Sheet" }[pageType ?? "page"]} ${page}`;
}

/** The page of a file with the words of a snippet, which a query has found. */
export function foundAt(node: Node, q: string, { page, parts }: Snippet): string {
  const words = parts.filter((p) => p.match).map((p) => p.text.replaceAll("\"", " ").trim());
  const others = [...new Set(words)].filter((w) => w && !q.toLowerCase().includes(w.toLowerCase())).map((w) => `"${w}"`);
  const marked = [q, ...others].join(" ");
  return withLink(`/library/${encodeURIComponent(node.id)}`, { page: String(page ?? 1), q: marked.length <= 500 ? marked : q });
}

const fileAt = (id: string): string => `/v1/library/files/${encodeURIComponent(id)}`;
export const contentOf = (node: Node): string => withLink(`${fileAt(node.id)}/content`);
/** The address at which a browser displays a PDF or a picture; other files are downloaded. */
export const shownAt = (node: Node): string => withLink(`${fileAt(node.id)}/content`, { inline: "true" });
/** The address of the report of a model as a page. */
export const reportOf = (node: Node): string => withLink(`/v1/library/models/${encodeURIComponent(node.id)}/report`);
const zipOf = (node: Node): string => withLink(`/v1/library/nodes/${encodeURIComponent(node.id)}/zip`);
export const drawingOf = (id: string, index: number): string => withLink(`${fileAt(id)}/records/${index}/image.svg`);
export const recordContentOf = (id: string, index: number): string =>
  withLink(`${fileAt(id)}/records/${index}/content`, { formulas: "text" });
export const exportOf = (id: string, parameters: Record<string, string>): string => withLink(`${fileAt(id)}/export`, parameters);

/** The address from which a node is downloaded: a folder as a zip, a model as its report, predictions as CSV. */
export function downloadOf(node: Node): string {
  if (isFolder(node)) return zipOf(node);
  if (isModel(node)) return reportOf(node);
  return isPrediction(node) ? exportOf(node.id, { format: "csv", formulas: "text" }) : contentOf(node);
}

/** The address and size of the smallest picture of a file with at least that many pixels on its longer side, or of the largest. */
export function pictureOf(node: Node, atLeast: number): { src: string; width: number; height: number } | undefined {
  const images = [...node.images ?? []].sort((a, b) => a.width - b.width);
  const image = images.find((i) => Math.max(i.width, i.height) >= atLeast) ?? images.at(-1);
  return image && { src: withLink(`${fileAt(node.id)}/images/${encodeURIComponent(image.id)}`), width: image.width, height: image.height };
}
