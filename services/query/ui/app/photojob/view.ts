import type { Schemas } from "../api/client.js";
import type { Tone } from "../ui/feedback.js";

export type Photo = Schemas["JobView"];
export type Status = Photo["status"];
export type Options = Schemas["Options"];
export type Batch = Schemas["BatchView"];

export const states: Record<Status, { label: string; tone: Tone }> = {
  QUEUED: { label: "Waiting", tone: "neutral" },
  PROCESSING: { label: "Describing", tone: "active" },
  EDITING: { label: "Editing", tone: "active" },
  COMPLETED: { label: "Done", tone: "good" },
  FAILED: { label: "Failed", tone: "bad" },
};

export const ended = (status: Status): boolean => status === "COMPLETED" || status === "FAILED";

export const addressOf = (id: string): string => `/photos/${encodeURIComponent(id)}`;

/** The address that redirects to the bytes of a photo. Only completed photos have previews. */
export const bytesOf = (id: string, variant: "final" | "original" | "preview" | "original-preview"): string =>
  `/v1/photos/${encodeURIComponent(id)}/download?variant=${variant}`;

/** The address that redirects to the bytes of a further result, the first with n = 1. */
export const outputOf = (id: string, n: number): string => `/v1/photos/${encodeURIComponent(id)}/download?output=${n}`;

/** Whether a browser can show the uploaded photo: most cannot show HEIC, JPEG XL, TIFF and raw files. */
export const shown = (photo: Photo): boolean => !/hei[cf]|jxl|tiff|x-/.test(photo.fileType);

export const nameOf = (photo: { originalFileName?: string; jobId: string }): string => photo.originalFileName ?? photo.jobId;

/** The names of the labels that describe a photo best. */
export const labelsOf = (photo: Photo): string => (photo.analysisResult?.labels ?? []).slice(0, 3).map((l) => l.name).join(", ");

/** The terms of an edit: the prompt and the options, shared by the photos of a batch. */
export interface Terms {
  prompt: string;
  options: Options;
}

/** Example prompts; see docs/photos.md for the grammar. */
export const examples = [
  "enhance", "auto levels, sharpen", "crop 1:1 to faces", "remove background", "black and white", "blur background",
  "fit 1600, as webp",
];
