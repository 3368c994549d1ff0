// What is on every page for operators. They are served at the operator address only, and are an app of their own.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Match, match, path, type Route, start } from "../router.js";
import { setTheme, theme } from "../shell/theme.js";
import { ButtonLink } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Alert, Check, Code, Feed, Gauge, Image, Moon, Retry, Search, Sun } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { Toasts } from "../ui/toast.js";
import Overview from "./overview.js";

const overview: Route = { path: "/operations", title: "Overview", load: () => Promise.resolve({ default: Overview }) };
const routes: Route[] = [
  overview,
  { path: "/operations/dead", title: "Dead letters", load: () => import("./dead.js") },
  { path: "/operations/dead/:sequence", title: "Dead letter", load: () => import("./letter.js") },
  { path: "/operations/sweeps", title: "Sweeps", load: () => import("./sweeps.js") },
  { path: "/operations/sources", title: "Feed sources", load: () => import("./sources.js") },
  { path: "/operations/providers", title: "Photo providers", load: () => import("./providers.js") },
];
const nav = [
  { href: "/operations", label: "Overview", icon: Gauge },
  { href: "/operations/dead", label: "Dead letters", icon: Alert },
  { href: "/operations/sweeps", label: "Sweeps", icon: Retry },
  { href: "/operations/sources", label: "Sources", icon: Feed },
  { href: "/operations/providers", label: "Providers", icon: Image },
];
const pages = new Map<Route, ComponentType<{ params: Record<string, string> }>>([[overview, Overview]]);

start((at) => match(routes, at) !== undefined);

export function Shell(): JSX.Element {
  const themes = [{ to: "system", label: "Theme of the system", icon: Sun }, { to: "light", label: "Light theme", icon: Sun }, { to: "dark", label: "Dark theme", icon: Moon }] as const;
  const within = (href: string): boolean => path.value === href || href !== "/operations" && path.value.startsWith(href + "/");
  return (
    <>
      <a class="skip" href="#title">Skip to the content</a>
      <div class="app">
        <header class="top">
          <a class="brand" href="/operations"><img src="/ui/icon.svg" alt="" width="28" height="28" />Assay <span class="place">Operations</span></a>
          <nav class="nav" aria-label="Operations">
            <ul>
              {nav.map(({ href, label, icon: Icon }) => <li key={href}><a href={href} aria-current={within(href) ? "page" : undefined}><Icon /><span>{label}</span></a></li>)}
              <li class="api-link"><a href="/docs"><Code /><span>API</span></a></li>
            </ul>
          </nav>
          <div class="top-end">
            <Menu label="Theme" button={<Sun />} items={themes.map(({ to, label, icon }) => ({ label, icon: theme.value === to ? Check : icon, act: () => setTheme(to) }))} />
          </div>
        </header>
        <main id="main" class="operations"><Current at={match(routes, path.value)} /></main>
      </div>
      <Toasts />
    </>
  );
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
  if (!at) return <Page title="No such page"><EmptyState icon={Search} title="There is no page at this address" action={<ButtonLink href="/operations">Go to the overview</ButtonLink>} /></Page>;
  if (failed) return <Page title={at.route.title}><ErrorState title="The page could not be loaded" error="The connection was lost, or Assay was updated." retry={() => location.reload()} /></Page>;
  if (!Found) return <Page title={at.route.title}><Loading what="the page"><Skeleton rows={6} height={55} /></Loading></Page>;
  return <Found key={path.value} params={at.params} />;
}
