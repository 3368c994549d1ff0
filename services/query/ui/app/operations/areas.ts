// Display names for codes of the API.

/** The labels of the areas by name, as JSON. The build inserts them, so that these pages contain nothing else of the areas. */
declare const areaLabels: string;

export function areaName(area: string): string {
  if (area === "none") return "No area";
  return (JSON.parse(areaLabels) as Record<string, string>)[area] ?? area;
}

const classes: Record<string, string> = {
  crashed: "Crashed", timeout: "Too slow", unavailable: "Unavailable", rejected: "Result rejected", configuration: "Configuration",
  missing: "Data missing", event: "Unreadable event", other: "Other fault",
};

/** The classes of dead letters, as codes of the API. */
export const classCodes = Object.keys(classes) as Class[];

/** A class of dead letters. */
export type Class = "crashed" | "timeout" | "unavailable" | "rejected" | "configuration" | "missing" | "event" | "other";

export function className(code: string): string {
  return classes[code] ?? code;
}

const dependencies: Record<string, string> = {
  nats: "NATS", dynamodb: "DynamoDB", s3: "S3", "s3 port": "S3 address", disk: "Disk", "live events": "Live events",
  ingest: "Ingest", query: "Query",
};

export function dependencyName(name: string): string {
  return dependencies[name] ?? name;
}

const findings: Record<string, string> = {
  unnotified_upload: "An uploaded object without a notification",
  lost_message: "Work whose message was lost",
  mismatched_object: "An object whose length differs from the reservation",
  unused_reservation: "A reservation without an upload",
  orphan_object: "An object that belongs to no item",
  inconsistent_copies: "Rows of one item that differ",
  duplicate_rows: "Several rows of one feed item",
  overdue_job: "A photo job that did not finish in time",
  overdue_step: "A step of a library file that did not finish in time",
  lost_workflow: "A library file in processing without the state of its steps",
  outdated_workflow: "Steps that are no longer needed",
  orphan_node: "A node whose folder was erased",
  outdated_trash: "A node whose time in the trash has expired",
  outdated_object: "An object that is no longer needed",
  unreadable_item: "A row that cannot be read",
  suspicious_orphan: "Too many orphans; none is deleted",
  unnotified_outcome: "An outcome that may not have been published",
  lost_dead_letter: "A lost dead letter",
  abandoned_upload: "An upload in parts that was abandoned",
};

/** The description of a finding's code; empty for an unknown code. */
export function findingText(code: string): string {
  return findings[code] ?? "";
}
