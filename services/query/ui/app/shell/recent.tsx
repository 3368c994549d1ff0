// The user's most recent items of all areas on the start page; those that are being processed come first.
import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { outcomes } from "../api/live.js";
import { type Recent, recentItems } from "../area.js";
import { areas } from "../areas.js";
import { Badge } from "../ui/feedback.js";
import { Bdi, Time } from "../ui/text.js";
import { accepted } from "../upload/queue.js";

const soon = 300; // ms

const isRunning = (item: Recent): boolean => item.status.tone === "active" || item.status.tone === "neutral";

/** Reads the items of all areas. An area that cannot be read has none. */
async function read(): Promise<Recent[]> {
  const lists = await Promise.all(areas.map((area) => area.recent?.().catch(() => []) ?? []));
  return lists.flat().sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || b.at.localeCompare(a.at)).slice(0, recentItems);
}

let known: Recent[] = []; // shown at once when the user returns

export default function RecentItems(): JSX.Element | null {
  const [items, set] = useState(known), timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const load = (): void => {
    timer.current = undefined;
    void read().then((found) => { set(known = found); });
  };
  const refresh = (): void => { timer.current ??= setTimeout(load, soon); };
  useEffect(() => {
    load();
    const leave = outcomes.follow({ event: (kind) => { if (kind !== "progress") refresh(); }, reset: refresh });
    return () => {
      clearTimeout(timer.current);
      leave();
    };
  }, []);
  useSignalEffect(() => { if (accepted.value) refresh(); });
  if (items.length === 0) return null;
  const running = items.filter(isRunning).length;
  return (
    <section class="recent" aria-labelledby="recent">
      <h2 id="recent">Recent {running > 0 && <span class="soft">{running} in progress</span>}</h2>
      <ul class="card flush">
        {items.map(({ id, href, name, icon: Icon, at, status, text }) => (
          <li key={id}>
            <Icon />
            <a class="name grow" href={href}><Bdi text={name} clip /></a>
            <span class="sub"><Bdi text={text} clip /></span>
            <Badge tone={status.tone}>{status.label}</Badge>
            <Time iso={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
