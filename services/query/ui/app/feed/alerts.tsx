// The alerts of the feed: those that fire, with what caused them, and the others in one line each.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import type { Stream } from "../api/live.js";
import { Badge, Notice, type Tone } from "../ui/feedback.js";
import { Bdi, count, counted, Time } from "../ui/text.js";
import { addressOf } from "./items.js";
import { type Alert, percent } from "./view.js";

const refreshInterval = 60_000; // ms; alerts are evaluated once a minute

/** Lists the alerts, and follows their changes. It shows nothing if there are none. */
export function Alerts({ events }: { events: Stream }): JSX.Element | null {
  const [alerts, setAlerts] = useState<Alert[]>(), [error, setError] = useState("");
  useEffect(() => {
    let gone = false;
    const refresh = (): void => {
      api.GET("/v1/feed/alerts").then(data).then((found) => {
        if (gone) return;
        setAlerts(found.alerts);
        setError("");
      }, (failed: unknown) => { if (!gone) setError(message(failed)); });
    };
    refresh();
    const timer = setInterval(refresh, refreshInterval);
    const leave = events.follow({ event: (kind) => { if (kind === "alert") refresh(); }, reset: refresh });
    return () => {
      gone = true;
      clearInterval(timer);
      leave();
    };
  }, [events]);
  if (!alerts) return error ? <Notice tone="bad">The alerts could not be loaded: {error}</Notice> : null;
  if (alerts.length === 0) return null;
  const firing = alerts.filter((a) => a.state.status === "firing"), quiet = alerts.filter((a) => a.state.status !== "firing");
  return (
    <section class="card feed-alerts" aria-labelledby="alerts">
      <h2 id="alerts">Alerts</h2>
      <div aria-live="polite">
        {firing.map((a) => <Firing key={a.name} alert={a} />)}
        {firing.length === 0 && <p class="soft">No alert is firing.</p>}
      </div>
      {quiet.length > 0 && (
        <details>
          <summary>{counted(quiet.length, "other alert")}</summary>
          <ul class="alert-list">{quiet.map((a) => <Quiet key={a.name} alert={a} />)}</ul>
        </details>
      )}
    </section>
  );
}

function Firing({ alert }: { alert: Alert }): JSX.Element {
  const { state } = alert;
  return (
    <article class="alert" aria-label={`Alert ${alert.name}`}>
      <div class="alert-head">
        <Badge tone="bad">Firing</Badge> <b><Bdi text={alert.name} /></b>
        <span class="soft">since {state.since && <Time iso={state.since} />}</span>
      </div>
      <p><Scope alert={alert} />: {reached(alert)}</p>
      {state.words && state.words.length > 0 && (
        <p class="alert-words">
          {state.words.map((w) => (
            <span key={w.word} class="alert-word" title={`in ${counted(w.count, "item")}`}>
              <Bdi text={w.word} /> <b>{count(w.count)}</b>
            </span>
          ))}
        </p>
      )}
      {state.items && state.items.length > 0 && (
        <ul class="alert-items">
          {state.items.map((i) => (
            <li key={i.id}><a class="clamp" href={addressOf(i.id)}><Bdi text={i.text || i.id} /></a></li>
          ))}
        </ul>
      )}
    </article>
  );
}

function Quiet({ alert }: { alert: Alert }): JSX.Element {
  const { status, waiting } = alert.state, [tone, label] = statuses[status];
  return (
    <li>
      <Badge tone={tone}>{label}</Badge> <b><Bdi text={alert.name} /></b>{" "}
      <span class="soft"><Scope alert={alert} />: {rule(alert)}{waiting ? `. Now: ${waiting}` : ""}</span>
    </li>
  );
}

const statuses: Record<Alert["state"]["status"], [Tone, string]> = {
  ok: ["good", "OK"], firing: ["bad", "Firing"], disabled: ["neutral", "Disabled"], new: ["neutral", "New"],
};

/** The items that an alert considers. */
function Scope({ alert }: { alert: Alert }): JSX.Element {
  const of = alert.tag ?? alert.source ?? alert.sourceType;
  return (
    <>
      {of === undefined ? "All items" : <>{alert.tag !== undefined ? "Tag" : "Source"} <Bdi text={of} /></>}
      {alert.keyword !== undefined && <> with “<Bdi text={alert.keyword} />”</>}
    </>
  );
}

const items = (n: number): string => counted(Math.round(n * 10) / 10, "item");

/** What an alert has measured, for an alert that fires. */
function reached(alert: Alert): string {
  const { state } = alert;
  const usual = state.usual === undefined ? "" : `, where ${items(state.usual)} ${state.usual === 1 ? "is" : "are"} usual`;
  switch (alert.kind) {
    case "volume": return `${items(state.value)} in ${alert.window}${usual}`;
    case "negative": return `${percent(state.value)} of ${items(state.count)} in ${alert.window} negative`;
    case "silent": return `no item for ${duration(state.value)}${usual}`;
    default: return `${items(state.value)} in ${alert.window}`;
  }
}

/** When an alert fires. */
function rule(alert: Alert): string {
  const { threshold = 0, minItems = 0, window } = alert;
  switch (alert.kind) {
    case "volume": return `${threshold} times the usual number in ${window}, at least ${items(minItems)}`;
    case "negative": return `${percent(threshold)} negative in ${window}, of at least ${items(minItems)}`;
    case "silent": return `no item for ${window}`;
    default: return `${items(threshold)} in ${window}`;
  }
}

function duration(minutes: number): string {
  return minutes < 120 ? `${count(minutes)} minutes` : `${count(Math.floor(minutes / 60))} hours`;
}
