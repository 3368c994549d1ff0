// What is on every page: navigation, connection, menu, uploads, notifications.
import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { online, outcomes } from "../api/live.js";
import { areas } from "../areas.js";
import { type Match, match, path, type Route, start } from "../router.js";
import { Button, ButtonLink } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Code, Search, Upload } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Toasts } from "../ui/toast.js";
import { Anywhere } from "../upload/anywhere.js";
import { openDialog } from "../upload/open.js";
import { Tray } from "../upload/tray.js";
import { Account } from "./account.js";
import Home from "./home.js";

const home: Route = { path: "/", title: "Upload anything", load: () => Promise.resolve({ default: Home }) };
const routes: Route[] = [home, ...areas.flatMap((area) => area.routes)];
const pages = new Map<Route, ComponentType<{ params: Record<string, string> }>>([[home, Home]]);

start((at) => match(routes, at) !== undefined);

export function Shell(): JSX.Element {
  return (
    <>
      <a class="skip" href="#title">Skip to the content</a>
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
        <main id="main"><Current at={match(routes, path.value)} /></main>
      </div>
      <Tray />
      <Toasts />
      <Anywhere />
    </>
  );
}

function Nav(): JSX.Element {
  const entries = areas.flatMap((area) => area.nav);
  return (
    <nav class="nav" aria-label="Areas">
      <ul>
        {entries.map(({ href, label, icon: Icon, match: within }) => <li key={href}><a href={href} aria-current={within(path.value) ? "page" : undefined}><Icon /><span>{label}</span></a></li>)}
        <li class="api-link"><a href="/docs"><Code /><span>API</span></a></li>
      </ul>
    </nav>
  );
}

function ConnectionState(): JSX.Element {
  // The connection is shown on pages that follow it, and stays quiet while all is well.
  useEffect(() => outcomes.follow({}), []);
  const lost = !online.value ? "Offline" : outcomes.connection.value === "reconnecting" ? "Reconnecting …" : "";
  return <p class={`connection ${outcomes.connection.value}`} role="status">{lost && <><span class="dot" />{lost}</>}</p>;
}

function Current({ at }: { at: Match | undefined }): JSX.Element {
  const [, redraw] = useState(0), [failed, setFailed] = useState(false);
  const Found = at && pages.get(at.route);
  useEffect(() => {
    setFailed(false);
    if (!at || pages.has(at.route)) return;
    let gone = false;
    at.route.load().then((module) => {
      pages.set(at.route, module.default);
      if (!gone) redraw((n) => n + 1);
    }, () => { if (!gone) setFailed(true); });
    return () => { gone = true; };
  }, [at?.route]);
  const first = useRef(path.value);
  useEffect(() => { // a screen reader continues at the new page
    if (first.current === path.value) return;
    first.current = "";
    if (document.activeElement === document.body || !document.activeElement) document.getElementById("title")?.focus({ preventScroll: true });
  }, [path.value, Found]);
  if (!at) return <Page title="No such page"><EmptyState icon={Search} title="There is no page at this address" action={<ButtonLink href="/">Go to the start</ButtonLink>} /></Page>;
  if (failed) return <Page title={at.route.title}><ErrorState title="The page could not be loaded" error="The connection was lost, or Assay was updated." retry={() => location.reload()} /></Page>;
  if (!Found) return <Page title={at.route.title}><Loading what="the page"><Skeleton rows={6} height={55} /></Loading></Page>;
  return <Found key={path.value} params={at.params} />;
}
