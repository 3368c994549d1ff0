// Who the user is, and what requests carry to say so. Every request takes its headers from here.
import { signal } from "@preact/signals";

const key = "assay-owner";

/** Returns 32 hexadecimal digits. Unlike crypto.randomUUID, it works on pages without TLS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

const fresh = (): string => "web-" + randomId();

function kept(): string {
  try {
    const id = localStorage.getItem(key) ?? fresh();
    localStorage.setItem(key, id);
    return id;
  } catch {
    return fresh(); // a browser that keeps nothing
  }
}

/** The owner of what is uploaded and shown: an anonymous id that this browser keeps, and that acts as a credential. */
export const owner = signal(kept());

// Images and links send no headers. Requests that only read take the owner from this cookie.
function remember(id: string): void {
  document.cookie = `assay-owner=${id}; path=/; samesite=strict; max-age=31536000${location.protocol === "https:" ? "; secure" : ""}`;
}

remember(owner.peek());

/** Makes another owner the one of this browser, and loads the page again. */
export function setOwner(id: string): void {
  localStorage.setItem(key, id);
  location.reload();
}

/** Headers of a request. */
export function identityHeaders(): Record<string, string> {
  return { "X-Owner-Id": owner.value };
}

/** Query parameters of a stream of events: an EventSource sends no headers of its own. */
export function identityQuery(): Record<string, string> {
  return { owner: owner.value };
}
