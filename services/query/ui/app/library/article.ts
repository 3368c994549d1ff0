// The text of an HTML document from /v1/library/files/{id}/reader.

const blocks = "blockquote, br, caption, dd, div, dl, dt, figcaption, figure, h1, h2, h3, h4, h5, h6, hr, li, ol, p, pre, " +
  "section, table, tr, ul";

/** Returns the text of an article, with one line for each block and without the readings of ruby texts. */
export function textOf(html: string): string {
  return plain(new DOMParser().parseFromString(html, "text/html").body, false);
}

function plain(node: ChildNode, preformatted: boolean): string {
  if (node.nodeType === Node.TEXT_NODE) return preformatted ? node.textContent ?? "" : (node.textContent ?? "").replace(/\s+/g, " ");
  if (!(node instanceof Element) || node.matches("rp, rt, rtc")) return "";
  const inner = Array.from(node.childNodes, (child) => plain(child, preformatted || node.matches("pre"))).join("");
  if (node.matches(blocks)) return `\n${inner}\n`;
  return node.matches("td, th") ? `${inner}\t` : inner;
}
