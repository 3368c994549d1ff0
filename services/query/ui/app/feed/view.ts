import type { Schemas } from "../api/client.js";
import type { Tone } from "../ui/feedback.js";

export type Item = Schemas["ItemView"];
export type Summary = Schemas["Summary"];
export type Alert = Schemas["AlertView"];
export type Bucket = Schemas["Bucket"];
export type Sentiment = Item["sentiment"];
export type SourceType = Item["sourceType"];

export const sentiments: { key: Sentiment; label: string; tone: Tone; color: string }[] = [
  { key: "positive", label: "Positive", tone: "good", color: "--chart-1" },
  { key: "neutral", label: "Neutral", tone: "neutral", color: "--chart-2" },
  { key: "negative", label: "Negative", tone: "bad", color: "--chart-3" },
];

export const sourceTypes: { key: SourceType; label: string }[] = [
  { key: "rss", label: "RSS and Atom" },
  { key: "newsapi", label: "NewsAPI" },
  { key: "reddit", label: "Reddit" },
  { key: "twitter", label: "Twitter" },
];

export const labelOf = (source: SourceType): string => sourceTypes.find((s) => s.key === source)?.label ?? source;

export const percent = (share: number): string => share.toLocaleString(navigator.languages, { style: "percent", maximumFractionDigits: 0 });
