// How an area accepts uploads.
import type { ComponentType } from "preact";
import type { Outcome } from "../api/live.js";
import type { Progress } from "./parts.js";

/** A running transfer of a file, created by parts.ts and multipart.ts. */
export interface Transfer<T> {
  promise: Promise<T>;
  pause(): void;
  resume(): void;
  /** The promise rejects with an AbortError. */
  cancel(): void;
}

/** A file to upload. */
export interface Sending {
  file: File;
  /** The folders that the file was in when a folder was dropped, such as ["papers", "2024"]. */
  folders: string[];
  /** The same key for all attempts to send this file. */
  idempotencyKey: string;
  /** What begin returned, or the options of the batch. */
  batch: unknown;
  onProgress: (progress: Progress) => void;
  /** Called when the server has reserved the item, if that happens before it is sent. */
  onReserved: (id: string) => void;
}

export interface Sent {
  id: string;
  /** The page of the item. */
  href: string;
}

/** The form of a batch, such as the prompt of photos. It calls change with the options, or undefined while they are incomplete. */
export interface FormProps {
  files: File[];
  change: (options: unknown) => void;
}

export interface Target {
  /** The label of the area, such as Text files. */
  label: string;
  /** Reports whether this is the default area of a file. Not set in the area that takes the files that suit no other. */
  suits?: (file: File) => boolean;
  /** Whether a file can be uploaded to the area. */
  accepts: (file: File) => boolean;
  /** Why a file is not accepted. */
  refusal?: string;
  /**
   * Where files go when they are dropped on the current page, if that is a page of this area: its options and a label, such
   * as a folder.
   */
  here?: () => { label: string; options: unknown } | undefined;
  /** A form that the user must complete before files are sent. */
  Form?: ComponentType<FormProps>;
  /** Called once for the files of a batch, before the first is sent. Its result is the batch of each Sending. */
  begin?: (files: File[], options: unknown) => Promise<unknown>;
  start: (sending: Sending) => Transfer<Sent>;
  /** Deletes an item that was reserved and will not be sent. */
  discard?: (id: string) => Promise<unknown>;
  /** Summarizes the result for the upload tray. */
  summary?: (outcome: Outcome) => string;
  /** Why an item failed; the message of the outcome by default. */
  reason?: (outcome: Outcome) => string;
  /** Reads an item whose events may have been missed: its outcome, or undefined while there is none. */
  check: (id: string) => Promise<Ended | undefined>;
  /** Follows an item until it has ended, instead of the events of the owner's outcomes. Returns a function that stops. */
  follow?: (id: string, ended: (how: Ended) => void) => () => void;
}

/** How an item ended. */
export interface Ended {
  ok: boolean;
  text: string;
}
