import type { Schemas } from "../api/client.js";
import type { Outcome } from "../api/live.js";
import type { Tone } from "../ui/feedback.js";

export type File = Schemas["FileView"];
export type Result = Schemas["Result"];
export type Status = File["status"];

export const states: Record<Status, { label: string; tone: Tone }> = {
  PENDING: { label: "Waiting", tone: "neutral" },
  IN_PROGRESS: { label: "Analyzing", tone: "active" },
  COMPLETED: { label: "Done", tone: "good" },
  FAILED: { label: "Failed", tone: "bad" },
};

/** Whether a file failed because it is not a text, so that another analysis fails too. */
export const isForeign = (file: File): boolean =>
  file.status === "FAILED" && (file.errorMessage ?? "").startsWith("the content is not text");

/** The statistics of an outcome of a text file, as events have them. */
export function statisticsOf(outcome: Outcome): { totalWords?: number; uniqueWords?: number } | undefined {
  return (outcome as { textStatistics?: { totalWords?: number; uniqueWords?: number } }).textStatistics;
}
