// Changes of photos, which the gallery and the page of a photo share.
import { signal } from "@preact/signals";
import { api, data, message } from "../api/client.js";
import { identityHeaders } from "../api/identity.js";
import { toast, undoable } from "../ui/toast.js";
import { nameOf, type Photo, type Terms } from "./view.js";

/** The ids of photos that are deleted, or will be once their toast closes. */
export const deleted = signal<ReadonlySet<string>>(new Set());

export function remove(photo: Photo): void {
  deleted.value = new Set([...deleted.value, photo.jobId]);
  const back = (): void => { deleted.value = new Set([...deleted.value].filter((id) => id !== photo.jobId)); };
  undoable(`Deleted ${nameOf(photo)}.`, back, () => {
    // keepalive: the user may be leaving the page.
    fetch(`/v1/photos/${encodeURIComponent(photo.jobId)}`, { method: "DELETE", headers: identityHeaders(), keepalive: true }).then((response) => {
      if (!response.ok) throw new Error(`${nameOf(photo)} could not be deleted (${response.status}).`);
    }).catch((error: unknown) => {
      back();
      toast(message(error), { bad: true });
    });
  });
}

/** Processes a failed photo again, with other terms if they are given. Resolves to the photo as it is then. */
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
