// The totals of the window, their change since the previous window, and the most frequent tags.
import type { JSX } from "preact";
import { setQuery } from "../router.js";
import { Bars } from "../ui/bars.js";
import { Bdi, count } from "../ui/text.js";
import type { Selection } from "./selection.js";
import { percent, sentiments, type Summary } from "./view.js";

export function Numbers({ now }: { now: Summary }): JSX.Element {
  const before = now.before, first = before?.total === 0 && now.total > 0;
  return (
    <dl class="numbers feed-numbers">
      <div>
        <dt>Items</dt>
        <dd>{count(now.total)} {first ? <small>no earlier data</small> : <Change now={now.total} before={before?.total} />}</dd>
      </div>
      {sentiments.map((s) => (
        <div key={s.key}>
          <dt><span class={`key ${s.key}`} />{s.label}</dt>
          <dd>
            {count(now.sentiment[s.key])}{" "}
            <small>{now.total ? percent(now.sentiment[s.key] / now.total) : ""}</small>{" "}
            {!first && <Change now={now.sentiment[s.key]} before={before?.sentiment[s.key]} />}
          </dd>
        </div>
      ))}
      <div><dt>Last hour</dt><dd>{count(now.rate.lastHour)}</dd></div>
    </dl>
  );
}

function Change({ now, before }: { now: number; before: number | undefined }): JSX.Element | null {
  if (before === undefined || before === 0 && now === 0) return null;
  if (before === 0) return <small title="None in the previous period">from 0</small>;
  const share = now / before - 1;
  if (Math.abs(share) < 0.005) return <small title="Same as the previous period">=</small>;
  const text = `${share > 0 ? "+" : "−"}${percent(Math.abs(share))}`;
  return (
    <small title={`${count(before)} in the previous period`}>
      {text}
      <span class="visually-hidden"> compared with the previous period</span>
    </small>
  );
}

export function Tags({ summary, chosen }: { summary: Summary; chosen: Selection }): JSX.Element {
  const most = summary.tags[0]?.count ?? 0;
  return (
    <section class="card" aria-labelledby="tags">
      <h2 id="tags">Tags</h2>
      {summary.tagsOmitted && <p class="soft">Tags are not counted for this time range. Choose a shorter one or other filters.</p>}
      {!summary.tagsOmitted && most === 0 && <p class="soft">No item in this time range has a tag.</p>}
      {most > 0 && (
        <Bars heads={["Tag", "Items"]} bars={summary.tags.slice(0, 12).map((t) => ({
          key: t.tag, share: t.count / most, value: count(t.count),
          label: <button
            type="button" class="tag" aria-pressed={chosen.tag === t.tag}
            onClick={() => setQuery({ tag: chosen.tag === t.tag ? "" : t.tag })}
          >
            <Bdi text={t.tag} clip />
          </button>,
        }))} />
      )}
    </section>
  );
}
