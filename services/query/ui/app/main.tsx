import { render } from "preact";
import { begin, session } from "./api/identity.js";
import { areas } from "./areas.js";
import { Shell } from "./shell/shell.js";
import { SignIn } from "./shell/signin.js";
import { receivers, receiving } from "./upload/receivers.js";

// A share link can be used without signing in.
const shared = new URLSearchParams(location.search).has("link");

function App() {
  return session.value === "out" && !shared ? <SignIn /> : <Shell />;
}

receivers.value = receiving(areas);

const root = document.getElementById("app");
if (root) void begin().then(() => render(<App />, root));
