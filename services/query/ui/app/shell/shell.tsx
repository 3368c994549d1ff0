// The frame of every page: navigation, connection, menu, uploads, notifications.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { online, outcomes } from "../api/live.js";
import { areas } from "../areas.js";
import { match, path, type Route, start } from "../router.js";
import { Button } from "../ui/button.js";
import { Code, Upload } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { Toasts } from "../ui/toast.js";
import { Anywhere } from "../upload/anywhere.js";
import { openDialog } from "../upload/open.js";
import { restore } from "../upload/queue.js";
import { Tray } from "../upload/tray.js";
import { unfinished } from "../upload/unfinished.js";
import { Account } from "./account.js";
import { Current, ready } from "./current.js";
import Home from "./home.js";
import { Keys } from "./keys.js";

const Elsewhere = lazy(() => import("./elsewhere.js"));

const routes: Route[] = [
  ready("/", "Upload anything", Home), ...areas.flatMap((area) => area.routes),
  { path: "/account", title: "Account", load: () => import("./quotas.js") },
  { path: "/rules", title: "Rules", load: () => import("../rule/list.js") },
  { path: "/webhooks", title: "Webhooks", load: () => import("../webhook/list.js") },
  { path: "/webhooks/:id", title: "Webhook endpoint", load: () => import("../webhook/page.js") },
];

start((at) => match(routes, at) !== undefined);

/** Begins to load the page at the current address. */
export function preload(): void {
  match(routes, path.value)?.route.load().catch(() => { /* the page shows the error */ });
}

export function Shell(): JSX.Element {
  useEffect(() => { void unfinished().then(restore); }, []);
  return (
    <>
      <a class="skip" href="#title">Skip to content</a>
      <div class="app">
        <header class="top">
          <a class="brand" href="/"><img src="/ui/icon.svg" alt="" width="28" height="28" />Assay</a>
          <Nav />
          <div class="top-end">
            <ConnectionState />
            <Button kind="primary" icon={Upload} class="upload-button" onClick={() => openDialog()}>Upload</Button>
            <Account />
          </div>
        </header>
        <main id="main"><Current at={match(routes, path.value)} start="/" Elsewhere={Elsewhere} /></main>
      </div>
      <Tray />
      <Toasts />
      <Anywhere />
      <Keys />
    </>
  );
}

function Nav(): JSX.Element {
  const entries = areas.flatMap((area) => area.nav);
  return (
    <nav class="nav" aria-label="Areas">
      <ul>
        {entries.map(({ href, label, icon: Icon, match: within }) => (
          <li key={href}><a href={href} aria-current={within(path.value) ? "page" : undefined}><Icon /><span>{label}</span></a></li>
        ))}
        <li class="api-link"><a href="/docs"><Code /><span>API</span></a></li>
      </ul>
    </nav>
  );
}

function ConnectionState(): JSX.Element {
  // Shows connection problems on pages with live events.
  useEffect(() => outcomes.follow({}), []);
  const lost = !online.value ? "Offline" : outcomes.connection.value === "reconnecting" ? "Reconnecting …" : "";
  return <p class={`connection ${outcomes.connection.value}`} role="status">{lost && <><span class="dot" />{lost}</>}</p>;
}
