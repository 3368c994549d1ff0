import type { ComponentChildren, JSX } from "preact";
import type { Schemas } from "../api/client.js";
import { visible } from "./text.js";

/** A snippet with highlighted matches. Its parts are plain text. */
export function Marked({ parts }: { parts: Schemas["Part"][] }): JSX.Element {
  return <bdi dir="auto">{parts.map((p, i): ComponentChildren => p.match ? <mark key={i}>{visible(p.text)}</mark> : visible(p.text))}</bdi>;
}
