import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { Stream } from "../api/live.js";
import { query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { ErrorState, Loading, Notice, Skeleton } from "../ui/feedback.js";
import { Download } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Choice } from "../ui/tabs.js";
import { count } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { Alerts } from "./alerts.js";
import { Chart, ChartTable, columnsOf } from "./chart.js";
import { saveCSV } from "./csv.js";
import { Filters } from "./filters.js";
import { Items } from "./items.js";
import { Numbers, Tags } from "./numbers.js";
import { bounds, bucketOf, expired, filtered, parameters, type Selection, selection, zoom } from "./selection.js";
import type { Bucket, Item, Summary } from "./view.js";

const outcomes = new Stream(() => "/v1/feed/events", ["completed", "failed", "alert"]);
const minInterval = 2000, maxInterval = 60_000; // ms between refreshes; the window moves even without events
const settleInterval = 4000, settleTime = 15_000; // ms; totals can follow the event of an item

interface Figures {
  of: string; // the selection
  now: Summary;
  buckets: Bucket[];
  bounds: [Date, Date];
}

async function read(of: string, s: Selection): Promise<Figures> {
  const window = bounds(s);
  const charted = expired(s) ? parameters({ ...s, sentiment: undefined }) : parameters(s);
  const [now, series] = await Promise.all([
    api.GET("/v1/feed/summary", { params: { query: { ...parameters(s), compare: true } } }).then(data),
    api.GET("/v1/feed/series", { params: { query: { ...charted, bucket: bucketOf(s) } } }).then(data),
  ]);
  return { of, now, buckets: series.buckets, bounds: window };
}

function listOf(s: Selection): Endless<Item> {
  return new Endless<Item>(async (cursor) => {
    const page = await api.GET("/v1/feed/items", {
      params: { query: { ...parameters(s), limit: 50, ...cursor ? { cursor } : {} } },
    }).then(data);
    return { items: page.items, cursor: page.nextCursor };
  }, (item) => item.sourceId);
}

export default function FeedPage(): JSX.Element {
  const chosen = selection(), key = JSON.stringify(parameters(chosen)), size = bucketOf(chosen);
  const list = useMemo(() => listOf(chosen), [key]);
  const [figures, setFigures] = useState<Figures>(), [error, setError] = useState(""), [saving, setSaving] = useState(false);

  useEffect(() => {
    let gone = false, timer: ReturnType<typeof setTimeout> | undefined, last = 0, event = 0;
    const refresh = (): void => {
      clearTimeout(timer);
      last = Date.now();
      timer = setTimeout(refresh, last < event + settleTime ? settleInterval : maxInterval);
      if (!expired(chosen)) list.refresh();
      read(key, chosen).then((found) => {
        if (gone) return;
        setFigures(found);
        setError("");
      }, (failed: unknown) => { if (!gone) setError(message(failed)); });
    };
    const soon = (): void => {
      event = Date.now();
      clearTimeout(timer);
      timer = setTimeout(refresh, Math.max(300, last + minInterval - Date.now()));
    };
    refresh();
    const leave = outcomes.follow({ event: (kind) => { if (kind !== "alert") soon(); }, reset: soon });
    return () => {
      gone = true;
      clearTimeout(timer);
      leave();
    };
  }, [key]);

  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const { rows, more } = await saveCSV(parameters(chosen));
      toast(more ? `Saved the first ${count(rows)} items. Choose a shorter time range to save the others.` : `Saved ${count(rows)} items.`);
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setSaving(false);
  };
  const table = query.value.get("view") === "table";
  return (
    <Page
      title="Feed" lead="Each message is rated on arrival: positive, neutral or negative."
      actions={<Button icon={Download} disabled={saving || expired(chosen)} onClick={() => void save()}>Export CSV</Button>}
    >
      <Filters chosen={chosen} />
      <Alerts events={outcomes} />
      {error && figures && <Notice tone="bad">{error}</Notice>}
      {content()}
    </Page>
  );

  function content(): JSX.Element {
    if (!figures) {
      return error
        ? <ErrorState title="Could not load the feed" error={error} retry={() => location.reload()} />
        : (
          <Loading what="the feed">
            <div class="numbers"><Skeleton height={94} /><Skeleton height={94} /><Skeleton height={94} /><Skeleton height={94} /></div>
            <Skeleton height={330} />
          </Loading>
        );
    }
    const stale = figures.of !== key, columns = columnsOf(figures.buckets, figures.bounds, size);
    const closer = (start: Date): void => { if (size !== "1m") zoom(start, size); };
    return (
      <div class={stale ? "stale" : undefined} aria-busy={stale}>
        <Numbers now={figures.now} />
        <div class="feed-columns">
          <section class="card" aria-labelledby="over-time">
            <div class="card-head"><h2 id="over-time">Sentiment over time</h2>
              <Choice
                label="Show as"
                options={[{ key: "chart", label: "Chart" }, { key: "table", label: "Table" }]}
                chosen={table ? "table" : "chart"}
                choose={(to) => setQuery({ view: to === "table" ? to : "" })}
              />
            </div>
            {table ? <ChartTable columns={columns} size={size} zoom={closer} /> : <Chart columns={columns} size={size} zoom={closer} />}
          </section>
          <Tags summary={figures.now} chosen={chosen} />
        </div>
        {expired(chosen)
          ? <p class="soft">Items are listed for 7 days. Choose a shorter time range to see them.</p>
          : <Items list={list} filtered={filtered(chosen)} />}
      </div>
    );
  }
}
