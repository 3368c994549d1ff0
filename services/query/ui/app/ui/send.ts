// Sending an item to an area: the server copies its content to a new item there.
import type { ComponentType } from "preact";
import { api, data, message } from "../api/client.js";
import { FileText, Image, Library } from "./icon.js";
import type { MenuItem } from "./menu.js";
import { toast } from "./toast.js";

interface Area {
  label: string;
  icon: ComponentType;
  /** What happens to the new item. */
  begun: string;
  page: string;
}

const areas = {
  library: { label: "Add to library", icon: Library, begun: "The file was added to the library.", page: "/library/" },
  textfile: { label: "Count words", icon: FileText, begun: "The words are being counted.", page: "/files/" },
  photojob: { label: "Edit photo", icon: Image, begun: "The photo is being edited.", page: "/photos/" },
} satisfies Record<string, Area>;

export type To = keyof typeof areas;

/** An item, by the name of its area in the API. */
export interface Sent { area: To; id: string }

interface Terms { content?: "original" | "result"; prompt?: string; options?: Record<string, unknown> }

/** Sends an item, and shows a link to the new one, or why it was refused. */
export async function send({ area, id }: Sent, to: To, terms: Terms = {}): Promise<void> {
  try {
    const made = await api.POST("/v1/items/{area}/{id}/send", {
      params: { path: { area, id }, header: { "Idempotency-Key": crypto.randomUUID() } }, body: { to, ...terms },
    }).then(data);
    toast(areas[to].begun, { link: { href: areas[to].page + encodeURIComponent(made.id), label: "Open" } });
  } catch (error) {
    toast(message(error), { bad: true });
  }
}

/** An entry of a menu, which a button can be made of, too. */
export type Sending = MenuItem & Required<Pick<MenuItem, "icon" | "act">>;

/** The entry of a menu that sends an item. */
export const sending = (item: Sent, to: To, terms?: Terms, label: string = areas[to].label): Sending =>
  ({ label, icon: areas[to].icon, act: () => void send(item, to, terms) });

const maxPhoto = 20_000_000; // bytes
const photos = /\.(jpe?g|png|webp|hei[cf]|avif|jxl|gif|bmp|tiff?|dng|cr2|cr3|nef|arw|rw2|orf|raf|pef)$/i;

/** Whether a file may be a photo. The server looks at its content. */
export const maybePhoto = (name: string, size = 0): boolean => photos.test(name) && size <= maxPhoto;
