// The areas of the app, in the order of the navigation. An area is one folder, and one line in this list.
import type { Area } from "./area.js";
import { area as textfile } from "./textfile/area.js";
import { area as feed } from "./feed/area.js";
import { area as photojob } from "./photojob/area.js";
import { area as library } from "./library/area.js";

export const areas: Area[] = [
  textfile,
  photojob,
  feed,
  library,
];
