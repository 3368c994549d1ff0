// The tags of the user, as filters of a search.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.js";
import { setQuery } from "../router.js";
import { Bdi } from "../ui/text.js";

const most = 30;

/** The tags of the user, which restrict the query q. It is empty if there are none or they cannot be read. */
export function TagChips({ q }: { q: string }): JSX.Element | null {
  const [tags, set] = useState<Schemas["ItemTag"][]>([]);
  useEffect(() => {
    let gone = false;
    api.GET("/v1/tags").then(data).then((list) => { if (!gone) set(list.tags); }, () => undefined);
    return () => { gone = true; };
  }, []);
  const usable = tags.filter(({ tag }) => !tag.includes("\"")).sort((a, b) => b.items - a.items).slice(0, most);
  if (usable.length === 0) return null;
  return (
    <ul class="tag-chips" aria-label="Your tags">
      {usable.map(({ tag }) => {
        const filter = `tag:"${tag}"`, chosen = q.includes(filter);
        return (
          <li key={tag}>
            <button type="button" class="tag-chip" aria-pressed={chosen} onClick={() => setQuery({ q: toggled(q, filter) })}>
              <Bdi text={tag} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** A query with a filter, or without it if the query has it. */
export function toggled(q: string, filter: string): string {
  return q.includes(filter) ? q.replace(filter, "").replace(/ {2,}/g, " ").trim() : `${q} ${filter}`.trim();
}
