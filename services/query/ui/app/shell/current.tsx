// The page at the current address, which is loaded when it is first shown.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Match, type PageProps, path, type Route } from "../router.js";
import { ButtonLink } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Search } from "../ui/icon.js";
import { announced, Page } from "../ui/page.js";

const pages = new Map<Route, ComponentType<PageProps>>();

/** Returns the route of a page that is loaded with the app. */
export function ready(at: string, title: string, page: ComponentType<PageProps>): Route {
  const route: Route = { path: at, title, load: () => Promise.resolve({ default: page }) };
  pages.set(route, page);
  return route;
}

/** The page of a route. start is the address of the start page, to which the page for unknown addresses links. */
export function Current({ at, start, Elsewhere }: {
  at: Match | undefined; start: string; Elsewhere?: NonNullable<PageProps["Elsewhere"]>;
}): JSX.Element {
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
  return <><p class="visually-hidden" role="status">{announced.value}</p>{page()}</>;

  function page(): JSX.Element {
    if (!at) {
      return (
        <Page title="Page not found">
          <EmptyState
            icon={Search} title="There is no page at this address"
            action={<ButtonLink href={start}>Go to the start page</ButtonLink>}
          />
        </Page>
      );
    }
    if (failed) {
      return (
        <Page title={at.route.title}>
          <ErrorState
            title="Could not load the page" error="The connection was lost, or Assay was updated."
            retry={() => location.reload()}
          />
        </Page>
      );
    }
    if (!Found) return <Page title={at.route.title}><Loading what="the page"><Skeleton rows={6} height={55} /></Loading></Page>;
    return <Found key={path.value} params={at.params} {...Elsewhere ? { Elsewhere } : {}} />;
  }
}
