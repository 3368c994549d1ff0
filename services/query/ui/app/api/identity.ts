// The identity of the user, and the headers that carry it. Every request gets its headers from here.
import { signal } from "@preact/signals";

const key = "assay-owner";

/** Returns 32 hexadecimal digits. Unlike crypto.randomUUID, it works on pages without TLS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

const fresh = (): string => "web-" + randomId();

function storedOwner(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // the browser does not allow storage
  }
}

function newOwner(): string {
  const id = fresh();
  try {
    localStorage.setItem(key, id);
  } catch { /* the browser does not allow storage */ }
  return id;
}

/** anonymous: the server does not authenticate. in, out: it does, and the user is signed in or out. */
type Session = "anonymous" | "in" | "out";

export const session = signal<Session>("anonymous");

/** The sign-in methods: key, oidc. */
export const methods = signal<string[]>([]);

/** The name of the user who is signed in, or the owner id. */
export const userName = signal("");

/**
 * The owner of the items that are uploaded and shown. For an anonymous user it is an id that this browser stores and that
 * acts as a credential, or that of the command line if the server runs on this machine; otherwise the server determines it.
 */
export const owner = signal(storedOwner() ?? "");

// Images and links send no headers. For read requests, the server accepts the owner from this cookie.
function remember(id: string): void {
  document.cookie = `assay-owner=${id}; path=/; samesite=strict; max-age=31536000${location.protocol === "https:" ? "; secure" : ""}`;
}

/** Chooses the owner of an anonymous user. local is that of the command line on the machine of the server, if this is it. */
function choose(local?: string): void {
  const here = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
  owner.value ||= here && local ? local : newOwner();
  remember(owner.value);
}

/** Reads the identity of the user from the server. Without a response the user is anonymous, and the pages show the error. */
export async function begin(): Promise<void> {
  try {
    const how: unknown = await (await fetch("/v1/session")).json();
    const { auth, methods: ways, owner: local } = how as { auth?: string; methods?: string[]; owner?: string };
    if (auth !== "token") {
      choose(local);
      return;
    }
    methods.value = ways ?? [];
    const response = await fetch("/v1/me");
    if (response.status === 401) {
      choose(); // for share links
      session.value = "out";
      return;
    }
    const me = await response.json() as { owner?: string; user?: { displayName?: string; loginName?: string; email?: string } };
    owner.value = me.owner ?? "";
    userName.value = me.user?.displayName ?? me.user?.loginName ?? me.user?.email ?? owner.value;
    session.value = "in";
  } catch {
    choose(); // the server cannot be reached
  }
}

/**
 * Signs in with an API key and reloads the page, so that it contains no data of a previous user. The browser stores the
 * session in a cookie that scripts cannot read. It does not store the key.
 */
export async function signIn(apiKey: string): Promise<"ok" | "refused" | "failed"> {
  const response = await fetch("/v1/session", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key: apiKey }),
  }).catch(() => undefined);
  if (response?.status === 401 || response?.status === 422) return "refused";
  if (!response?.ok) return "failed";
  location.reload();
  return "ok";
}

/** The address that signs in at the identity provider and returns to this page. */
export function signInAddress(): string {
  return "/v1/session/start?" + new URLSearchParams({ to: location.pathname + location.search }).toString();
}

// When the user signs out on one page, the other pages of this browser hide their content.
const signedOut = new BroadcastChannel("assay-signed-out");
signedOut.onmessage = () => refused();

/** Signs out and reloads the page. After an error the user is still signed in. */
export async function signOut(): Promise<void> {
  const response = await fetch("/v1/session", { method: "DELETE" });
  if (!response.ok) throw new Error(`Assay returned an error (${response.status}).`);
  signedOut.postMessage("");
  location.reload();
}

/** Checks whether the session has ended, which an error of an event stream does not reveal. */
export async function verify(): Promise<void> {
  if (session.peek() !== "in") return;
  const response = await fetch("/v1/me").catch(() => undefined);
  if (response?.status === 401) refused();
}

/** Called when the server rejects the session. */
export function refused(): void {
  if (session.value === "in") session.value = "out";
}

/** Changes the owner of this browser and reloads the page. */
export function setOwner(id: string): void {
  localStorage.setItem(key, id);
  location.reload();
}

/** Headers of a request. */
export function identityHeaders(): Record<string, string> {
  return session.value === "anonymous" ? { "X-Owner-Id": owner.value } : {}; // the browser adds the session cookie
}

/** Query parameters of an event stream. An EventSource cannot send custom headers. */
export function identityQuery(): Record<string, string> {
  return { owner: owner.value };
}
