import type { JSX } from "preact";
import { session } from "../api/identity.js";
import { areas } from "../areas.js";
import { Button } from "../ui/button.js";
import { ChevronRight, Upload } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { Page } from "../ui/page.js";
import { openDialog } from "../upload/open.js";
import { DisabledEndpoints } from "../webhook/notice.js";

const RecentItems = lazy(() => import("./recent.js"));

export default function Home(): JSX.Element {
  return (
    <Page title="Upload anything">
      <DisabledEndpoints />
      <section class="hero" aria-label="Upload">
        <div class="hero-icon"><Upload /></div>
        <p class="hero-title">
          <span class="mouse">Drop files or folders anywhere</span><span class="touch">Upload files and photos</span>
        </p>
        <p class="soft">Each file is analyzed in the area that fits it. You can change the area before the upload starts.</p>
        <Button kind="primary" icon={Upload} onClick={() => openDialog()}>Choose files</Button>
      </section>
      <ul class="area-cards" aria-label="Areas">
        {areas.flatMap((area) => area.cards.map((card) => (
          <li key={card.href}>
            <a class="card area-card" href={card.href}>
              <span class="area-icon"><card.icon /></span>
              <span class="grow"><strong>{card.title}</strong><span class="soft">{card.text}</span></span>
              <ChevronRight />
            </a>
          </li>
        )))}
      </ul>
      {session.value !== "out" && <RecentItems />}
    </Page>
  );
}
