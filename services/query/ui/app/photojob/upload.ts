// Uploads of photos: one by one or in batches, with one prompt for all.
import { api, data } from "../api/client.js";
import type { Schemas } from "../api/client.js";
import { lazy } from "../ui/lazy.js";
import { bytes } from "../ui/text.js";
import { uploadMultipart } from "../upload/multipart.js";
import { uploadPresigned } from "../upload/presigned.js";
import type { Ended, FormProps, Sending, Sent, Target, Transfer } from "../upload/target.js";
import { addressOf, type Photo, type Terms } from "./view.js";

const maxSize = 20_000_000; // bytes
const maxBatch = 20; // photos
const types: Record<string, string> = {
  jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png", webp: "image/webp", heic: "image/heic", heif: "image/heif",
  avif: "image/avif", jxl: "image/jxl", gif: "image/gif", bmp: "image/bmp", tif: "image/tiff", tiff: "image/tiff",
  dng: "image/x-adobe-dng", cr2: "image/x-canon-cr2", cr3: "image/x-canon-cr3", nef: "image/x-nikon-nef", arw: "image/x-sony-arw",
  rw2: "image/x-panasonic-rw2", orf: "image/x-olympus-orf", raf: "image/x-fuji-raf", pef: "image/x-pentax-pef",
};

/** The media type of a photo; browsers rarely recognize HEIC. Undefined for other files. */
function typeOf(file: File): string | undefined {
  const byName = types[file.name.split(".").pop()?.toLowerCase() ?? ""];
  return Object.values(types).includes(file.type) ? file.type : file.type === "" ? byName : undefined;
}

/** The result of begin: the terms, and, for each photo of a batch, its job and upload request. */
interface Begun {
  terms: Terms;
  places: Map<File, Schemas["BatchUpload"]>;
}

export const upload: Target = {
  label: "Photos",
  suits: (file) => typeOf(file) !== undefined && file.size <= maxSize,
  accepts: (file) => typeOf(file) !== undefined && file.size <= maxSize,
  refusal: `A photo is a JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF or raw file of at most ${bytes(maxSize)}.`,
  Form: lazy<FormProps>(() => import("./prompt.js")),
  begin: async (files, options): Promise<Begun> => {
    const terms = options as Terms, places = new Map<File, Schemas["BatchUpload"]>();
    void import("./prompt.js").then(({ keepPrompt }) => keepPrompt(terms.prompt));
    for (let at = 0; files.length > 1 && at < files.length; at += maxBatch) {
      const some = files.slice(at, at + maxBatch);
      const photos = some.map((file) => ({ fileName: file.name, size: file.size, contentType: typeOf(file) ?? file.type }));
      const batch = await api.POST("/v1/photo-batches", {
        body: { photos, ...terms.prompt.trim() && { prompt: terms.prompt.trim() }, options: terms.options },
        params: { header: { "Idempotency-Key": crypto.randomUUID() } },
      }).then(data);
      some.forEach((file, i) => { if (batch.photos[i]) places.set(file, batch.photos[i]); });
    }
    return { terms, places };
  },
  start: (sending) => {
    const { terms, places } = sending.batch as Begun, place = places.get(sending.file);
    return place ? inBatch(sending, place) : alone(sending, terms);
  },
  summary: () => "Described and edited",
  check: async (id) => outcomeOf(await api.GET("/v1/photos/{id}", { params: { path: { id } } }).then(data)),
};

function outcomeOf(photo: Photo): Ended | undefined {
  if (photo.status === "COMPLETED") return { ok: true, text: photo.degraded ?? "Described and edited" };
  if (photo.status === "FAILED") return { ok: false, text: photo.error?.message ?? "The photo could not be processed." };
  return undefined;
}

const sent = (id: string): Sent => ({ id, href: addressOf(id) });

function alone({ file, idempotencyKey, onProgress }: Sending, terms: Terms): Transfer<Sent> {
  const typed = file.type === "" ? new File([file], file.name, { type: typeOf(file) ?? "" }) : file;
  const fields = { ...terms.prompt.trim() && { prompt: terms.prompt.trim() }, options: JSON.stringify(terms.options) };
  const transfer = uploadMultipart<Photo>({ url: "/v1/photos", file: typed, fields, idempotencyKey, onProgress });
  return { ...transfer, promise: transfer.promise.then((photo) => sent(photo.jobId)) };
}

function inBatch({ file, onProgress }: Sending, place: Schemas["BatchUpload"]): Transfer<Sent> {
  const transfer = uploadPresigned(file, place.upload, onProgress), path = { id: place.jobId };
  return {
    ...transfer,
    promise: transfer.promise.then(() => api.POST("/v1/photos/{id}/uploaded", { params: { path } }).then(data))
      .then(() => sent(place.jobId)),
    cancel: () => {
      transfer.cancel();
      void api.DELETE("/v1/photos/{id}", { params: { path } }); // deleted photos count as done in their batch
    },
  };
}
