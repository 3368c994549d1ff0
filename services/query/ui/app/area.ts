// What an area of the app consists of.
import type { ComponentType } from "preact";
import type { Route } from "./router.js";
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
  /** How files are uploaded to the area; not set if the area has no files. */
  upload?: Target;
}
