// What an area of the app consists of.
import type { ComponentType } from "preact";
import type { Route } from "./router.js";
import type { Tone } from "./ui/feedback.js";
import type { Target } from "./upload/target.js";

export interface Area {
  /** The name of the area in the API and in events, such as textfile. */
  name: string;
  /** What users call it. */
  label: string;
  /** Entries of the navigation. */
  nav: { href: string; label: string; icon: ComponentType; match: (path: string) => boolean }[];
  /** Cards of the start page. */
  cards: { href: string; title: string; text: string; icon: ComponentType }[];
  routes: Route[];
  /** The address of the page of an item; not set if items have none. */
  pageOf?: (id: string) => string;
  /** Reads the user's most recent items for the start page, newest first. */
  recent?: () => Promise<Recent[]>;
  /** How files are uploaded to the area; not set if the area has no files. */
  upload?: Target;
}

/** The number of items that the start page shows. */
export const recentItems = 8;

/** An item as the start page shows it. */
export interface Recent {
  id: string;
  href: string;
  name: string;
  icon: ComponentType;
  /** When it was uploaded, in ISO 8601. */
  at: string;
  status: { label: string; tone: Tone };
  /** Its result or size in a few words, or why it failed. */
  text: string;
}
