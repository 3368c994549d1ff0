// The hits of a search in the areas other than the one whose page shows them.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.js";
import { areas } from "../areas.js";
import { Marked } from "../ui/marked.js";
import { Bdi, counted, Time, visible } from "../ui/text.js";

type Found = Schemas["FoundItems"];

const most = 10;

/** Hits of other areas than shown, best first. It is empty if there are none or they cannot be read. */
export default function Elsewhere({ q, shown }: { q: string; shown: string }): JSX.Element | null {
  const [found, set] = useState<Found>();
  useEffect(() => {
    set(undefined);
    let gone = false;
    api.GET("/v1/search", { params: { query: { q, area: areas.map((a) => a.name).filter((name) => name !== shown), limit: most } } })
      .then(data).then((page) => { if (!gone) set(page); }, () => undefined);
    return () => { gone = true; };
  }, [q, shown]);
  if (!found || found.hits.length === 0) return null;
  const totals = areas.flatMap(({ name, label }) => {
    const { total = 0, totalIsMinimum = false } = found.areas[name] ?? {};
    return total > 0 ? [`${label}: ${totalIsMinimum ? "more than " : ""}${counted(total, "result")}`] : [];
  });
  return (
    <section class="elsewhere" aria-labelledby="elsewhere">
      <h2 id="elsewhere">In other areas</h2>
      <p class="soft hits-count">{totals.join(" · ")}</p>
      <ul class="hits">{found.hits.map((hit) => <One key={`${hit.area}/${hit.id}`} hit={hit} />)}</ul>
    </section>
  );
}

function One({ hit }: { hit: Found["hits"][number] }): JSX.Element {
  const area = areas.find(({ name }) => name === hit.area), href = area?.pageOf?.(hit.id);
  const title = hit.snippets.find((s) => s.field === "name");
  const name = title ? <Marked parts={title.parts} /> : <Bdi text={hit.name} />;
  return (
    <li class="card hit">
      <div class="grow">
        {href ? <a class="name" href={href}>{name}</a> : <p class="name">{name}</p>}
        {hit.snippets.filter((s) => s.field !== "name").map((s, i) => (
          <p key={i} class="snippet">
            {s.page && <span class="soft">Page {s.page}: </span>}
            <Marked parts={s.parts} />
          </p>
        ))}
        {hit.textCut && <p class="sub">{visible(hit.textCut)}</p>}
        <p class="sub hit-facts">{area?.label} · <Time iso={hit.createdAt} /></p>
      </div>
    </li>
  );
}
