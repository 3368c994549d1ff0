// The areas of the app. An area is one folder, and one line in this list.
import type { ComponentType } from "preact";
import type { Route } from "./router.js";
import type { Target } from "./upload/target.js";
import { area as textfile } from "./textfile/area.js";
import { area as feed } from "./feed/area.js";
import { area as photojob } from "./photojob/area.js";
import { area as library } from "./library/area.js";

export interface Area {
  /** The name of the area in the API and in events, such as textfile. */
  name: string;
  /** Entries of the navigation. */
  nav: { href: string; label: string; icon: ComponentType; match: (path: string) => boolean }[];
  /** Cards of the start page. */
  cards: { href: string; title: string; text: string; icon: ComponentType }[];
  routes: Route[];
  /** How files are uploaded to the area; not set if the area has no files. */
  upload?: Target;
}

export const areas: Area[] = [
  textfile,
  photojob,
  feed,
  library,
];
