// The dialog that shows the targets of files before they are uploaded.
import { signal } from "@preact/signals";
import { path } from "../router.js";
import { add, type Dropped } from "./queue.js";
import { areaOf, type Receiver, receivers } from "./receivers.js";

/** A file in the dialog, and where it will go; undefined until the user chooses. */
export interface Row extends Dropped {
  area: Receiver | undefined;
}

/** The files of the dialog while it is open. */
export const reviewed = signal<Row[] | undefined>(undefined);

/** Opens the dialog, or adds files to the open one. */
export function openDialog(files: Dropped[] = []): void {
  reviewed.value = [...reviewed.value ?? [], ...files.map((d) => ({ ...d, area: destination(d.file) }))];
}

/** The area of the current page, if it accepts files. */
export function current(): Receiver | undefined {
  return receivers.value.find((area) => area.nav.some((n) => n.match(path.peek())));
}

/** The default area of a file: the area of the page if it accepts the file, otherwise the area for its type. */
export function destination(file: File): Receiver | undefined {
  const here = current();
  return here?.upload.here?.() && here.upload.accepts(file) ? here : areaOf(file);
}

/**
 * Uploads files immediately if their target is clear: one area for all files, which requires no form, and which is the
 * area of the page if that accepts files. Otherwise opens the dialog.
 */
export function take(files: Dropped[]): void {
  if (files.length === 0) return;
  if (reviewed.value) {
    openDialog(files);
    return;
  }
  const areas = new Set(files.map((f) => destination(f.file))), [area] = areas, here = current();
  if (areas.size > 1 || !area || area.upload.Form || here && here !== area) {
    openDialog(files);
    return;
  }
  add(area, files, area.upload.here?.()?.options);
}
