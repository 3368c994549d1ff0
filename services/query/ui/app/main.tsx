import { render } from "preact";
import { begin, session } from "./api/identity.js";
import { areas } from "./areas.js";
import { preload, Shell } from "./shell/shell.js";
import { SignIn } from "./shell/signin.js";
import { receivers, receiving } from "./upload/receivers.js";

// A share link can be used without signing in, and so can a public node.
let shared = new URLSearchParams(location.search).has("link");

/** Reports whether the page is that of a node of the library which anyone can read. */
async function isPublic(): Promise<boolean> {
  const id = /^\/library\/([0-9a-f-]{36})\/?$/.exec(location.pathname)?.[1];
  return id !== undefined && fetch(`/v1/library/nodes/${id}`).then((response) => response.ok, () => false);
}

function App() {
  return session.value === "out" && !shared ? <SignIn /> : <Shell />;
}

receivers.value = receiving(areas);

async function start(root: HTMLElement): Promise<void> {
  preload();
  await begin();
  if (session.value === "out" && !shared) shared = await isPublic();
  root.replaceChildren(); // the header that is shown until here
  render(<App />, root);
}

const root = document.getElementById("app");
if (root) void start(root);
