// The frame of every page for operators. These pages are a separate app, served only at the operator address.
import type { JSX } from "preact";
import { match, path, type Route, start } from "../router.js";
import { Current, ready } from "../shell/current.js";
import { setTheme, theme } from "../shell/theme.js";
import { Alert, Check, Code, Feed, Gauge, Image, Moon, Retry, Sun } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Toasts } from "../ui/toast.js";
import { refused } from "./client.js";
import Overview from "./overview.js";
import { SignIn } from "./signin.js";

const routes: Route[] = [
  ready("/operations", "Overview", Overview),
  { path: "/operations/dead", title: "Dead letters", load: () => import("./deadletters.js") },
  { path: "/operations/dead/:sequence", title: "Dead letter", load: () => import("./deadletter.js") },
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

start((at) => match(routes, at) !== undefined);

export function Shell(): JSX.Element {
  const themes = [
    { to: "system", label: "System theme", icon: Sun }, { to: "light", label: "Light theme", icon: Sun },
    { to: "dark", label: "Dark theme", icon: Moon },
  ] as const;
  const within = (href: string): boolean => path.value === href || href !== "/operations" && path.value.startsWith(href + "/");
  return (
    <>
      <a class="skip" href="#title">Skip to content</a>
      <div class="app">
        <header class="top">
          <a class="brand" href="/operations">
            <img src="/ui/icon.svg" alt="" width="28" height="28" />Assay <span class="place">Operations</span>
          </a>
          <nav class="nav" aria-label="Operations">
            <ul>
              {nav.map(({ href, label, icon: Icon }) => (
                <li key={href}><a href={href} aria-current={within(href) ? "page" : undefined}><Icon /><span>{label}</span></a></li>
              ))}
              <li class="api-link"><a href="/docs"><Code /><span>API</span></a></li>
            </ul>
          </nav>
          <div class="top-end">
            <Menu
              label="Theme" button={<Sun />}
              items={themes.map(({ to, label, icon }) => ({ label, icon: theme.value === to ? Check : icon, act: () => setTheme(to) }))}
            />
          </div>
        </header>
        <main id="main" class="operations">
          {refused.value ? <SignIn /> : <Current at={match(routes, path.value)} start="/operations" />}
        </main>
      </div>
      <Toasts />
    </>
  );
}
