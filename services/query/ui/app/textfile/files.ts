// Changes to text files, shared by the list and the page of a file.
import { api, data, message } from "../api/client.js";
import { Deletions } from "../ui/deletions.js";
import { toast } from "../ui/toast.js";
import type { File } from "./view.js";

const deletions = new Deletions();

export const deleted = deletions.ids;

export function remove(file: File): void {
  deletions.remove(file.fileId, file.fileName, `/v1/files/${encodeURIComponent(file.fileId)}`);
}

/** Analyzes a failed file again and returns the updated file. */
export async function retry(file: File): Promise<File | undefined> {
  try {
    return await api.POST("/v1/files/{id}/retry", { params: { path: { id: file.fileId } } }).then(data);
  } catch (error) {
    toast(message(error), { bad: true });
    return undefined;
  }
}

export const contentOf = (file: File): string => `/v1/files/${encodeURIComponent(file.fileId)}/content`;
