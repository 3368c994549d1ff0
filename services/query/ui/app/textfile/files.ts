// Changes of text files, which the list and the page of a file share.
import { signal } from "@preact/signals";
import { api, data, message } from "../api/client.js";
import { identityHeaders } from "../api/identity.js";
import { toast, undoable } from "../ui/toast.js";
import type { File } from "./view.js";

/** The ids of files that are deleted, or will be once their toast closes. */
export const deleted = signal<ReadonlySet<string>>(new Set());

export function remove(file: File): void {
  deleted.value = new Set([...deleted.value, file.fileId]);
  const back = (): void => { deleted.value = new Set([...deleted.value].filter((id) => id !== file.fileId)); };
  undoable(`Deleted ${file.fileName}.`, back, () => {
    // keepalive: the user may be leaving the page.
    fetch(`/v1/files/${encodeURIComponent(file.fileId)}`, { method: "DELETE", headers: identityHeaders(), keepalive: true }).then((response) => {
      if (!response.ok) throw new Error(`${file.fileName} could not be deleted (${response.status}).`);
    }).catch((error: unknown) => {
      back();
      toast(message(error), { bad: true });
    });
  });
}

/** Analyzes a failed file again, and returns it as it is then. */
export async function retry(file: File): Promise<File | undefined> {
  try {
    return await api.POST("/v1/files/{id}/retry", { params: { path: { id: file.fileId } } }).then(data);
  } catch (error) {
    toast(message(error), { bad: true });
    return undefined;
  }
}

export const contentOf = (file: File): string => `/v1/files/${encodeURIComponent(file.fileId)}/content`;
