// The areas that accept files. The app sets them when it starts, because the pages of an area, which upload files too,
// cannot import the list of areas.
import { signal } from "@preact/signals";
import type { Area } from "../area.js";
import type { Target } from "./target.js";

/** An Area that accepts files. */
export type Receiver = Area & { upload: Target };

export const receivers = signal<Receiver[]>([]);

/** Returns the areas that accept files. */
export function receiving(areas: Area[]): Receiver[] {
  return areas.filter((area): area is Receiver => area.upload !== undefined);
}

/** The default area of a file: the first that it suits, otherwise the one that takes all other files. */
export function areaOf(file: File): Receiver | undefined {
  const all = receivers.value;
  return all.find((area) => area.upload.suits?.(file)) ?? all.find((area) => area.upload.suits === undefined);
}
