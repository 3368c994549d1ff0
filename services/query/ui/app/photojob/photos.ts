// Changes to photos, shared by the gallery and the page of a photo.
import { api, data, message } from "../api/client.js";
import { Deletions } from "../ui/deletions.js";
import { toast } from "../ui/toast.js";
import { nameOf, type Photo, type Terms } from "./view.js";

const deletions = new Deletions();

export const deleted = deletions.ids;

export function remove(photo: Photo): void {
  deletions.remove(photo.jobId, nameOf(photo), `/v1/photos/${encodeURIComponent(photo.jobId)}`);
}

/** Processes a failed photo again, optionally with other terms. Resolves to the updated photo. */
export async function retry(photo: Photo, terms?: Terms): Promise<Photo | undefined> {
  const body = terms && { ...terms.prompt.trim() && { prompt: terms.prompt.trim() }, options: terms.options };
  try {
    return await api.POST("/v1/photos/{id}/retry", { params: { path: { id: photo.jobId } }, ...body && { body } }).then(data);
  } catch (error) {
    toast(message(error), { bad: true });
    return undefined;
  }
}

export async function cancel(photo: Photo): Promise<void> {
  try {
    await api.POST("/v1/photos/{id}/cancel", { params: { path: { id: photo.jobId } } }).then(data);
  } catch (error) {
    toast(message(error), { bad: true });
  }
}
