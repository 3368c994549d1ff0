import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { data, message } from "../api/client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Badge, ErrorState, Loading, Notice, ProgressBar, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Check, Pause, Play } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Bdi, count, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { api, type Schemas } from "./client.js";
import { usePolled } from "../ui/poll.js";

type Provider = Schemas["ProviderView"];
type Checked = Schemas["CheckResponse"];

const every = 15_000; // ms
const names: Record<string, string> = { gemini: "Gemini", seedream: "Seedream", local: "Local" };
const dollars = new Intl.NumberFormat(navigator.languages, { style: "currency", currency: "USD" });
const money = (micros: number): string => dollars.format(micros / 1e6);

export default function Providers(): JSX.Element {
  const { value, error, again } = usePolled(() => api.GET("/v1/photo-providers").then(data), every);
  return (
    <Page
      title="Photo providers"
      lead={value
        ? <>Jobs that name no provider use {names[value.default] ?? value.default}.</>
        : "The paid providers of photo jobs and their costs."}
    >
      {value && error && <RetryNotice error={error} retry={() => void again()} />}
      {value ? <div class="columns">{value.providers.map((p) => <One key={p.name} provider={p} changed={again} />)}</div>
        : error ? <ErrorState title="Could not load the providers" error={error} retry={() => void again()} />
        : <Loading what="providers"><div class="columns"><Skeleton height={420} /><Skeleton height={420} /></div></Loading>}
    </Page>
  );
}

/** Enables or disables a provider: reads its settings, and writes them unless they have changed since. */
async function enable(name: string, enabled: boolean): Promise<void> {
  const read = await api.GET("/v1/photo-providers/{name}", { params: { path: { name } } });
  const { name: _, state: __, ...settings } = data(read);
  await api.PUT("/v1/photo-providers/{name}", {
    params: { path: { name }, header: { "If-Match": read.response.headers.get("ETag") ?? "" } },
    body: { ...settings, enabled },
  }).then(data);
}

function One({ provider: p, changed }: { provider: Provider; changed: () => Promise<void> }): JSX.Element {
  const [busy, setBusy] = useState(false), [checked, setChecked] = useState<Checked | undefined>(), [asks, ask] = useState(false);
  const name = names[p.name] ?? p.name, spent = p.state.costTodayMicros, days = p.state.days.slice(-14);
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setBusy(false);
  };
  const set = (enabled: boolean): Promise<void> => act(async () => {
    ask(false);
    await enable(p.name, enabled);
    toast(enabled ? `${name} is enabled.` : `${name} is disabled. Its jobs go to its fallback.`);
    await changed();
  });
  return (
    <section class="card provider" aria-label={name}>
      <div class="provider-head"><h2>{name}</h2><State provider={p} /></div>
      {p.state.suspended !== undefined && (
        <Notice tone="bad">
          The provider denied access: <Bdi text={p.state.suspended} />. Calls resume when its settings or key change.
        </Notice>
      )}
      {p.state.heldUntil !== undefined && (
        <Notice tone="warn">The provider requested no calls until <Time iso={p.state.heldUntil} />.</Notice>
      )}
      {p.state.openUntil !== undefined && (
        <Notice tone="warn">After {count(p.state.failures)} failures, no calls until <Time iso={p.state.openUntil} />.</Notice>
      )}
      <div class="budget">
        <span>{money(spent)} of {money(p.dailyBudgetMicros)} today, {count(p.state.callsToday)} of {count(p.perDay)} calls</span>
        <ProgressBar label={`Budget of ${name} today`} value={p.dailyBudgetMicros > 0 ? spent / p.dailyBudgetMicros : 0} />
      </div>
      {days.length > 0 && <table class="bars"><caption class="visually-hidden">Costs of {name} by day</caption><tbody>
        {days.map((d) => (
          <tr key={d.day}>
            <th scope="row">{d.day}</th>
            <td>
              <span class="bar" style={{ width: `${100 * d.costMicros / Math.max(1, ...days.map((o) => o.costMicros))}%` }} />
              <span class="value">{money(d.costMicros)} · {count(d.calls)}</span>
            </td>
          </tr>
        ))}
      </tbody></table>}
      <dl class="facts">
        <dt>Model</dt><dd>{p.editModel}{p.analyzeModel && `, ${p.analyzeModel}`}</dd>
        <dt>At most</dt><dd>{money(p.editMicros)} for an edit, {money(p.analyzeMicros)} for a description</dd>
        <dt>Prices as of</dt><dd>{p.priceDate}</dd>
        <dt>In progress</dt>
        <dd>{count(p.state.running)} of {count(p.concurrent)} concurrent calls, at most {count(p.perMinute)} per minute</dd>
        <dt>Key</dt><dd><code>{p.keyVariable}</code> of the analyzers</dd>
        <dt>Fallback</dt>
        <dd>{p.fallback.length > 0 ? `${p.fallback.map((f) => names[f] ?? f).join(", ")} after ${p.fallbackAfter}` : "none"}</dd>
      </dl>
      <div role="status">
        {checked && (
          <Notice tone={checked.ok ? "good" : "bad"}>
            {checked.ok ? `The key is accepted (${count(checked.millis)} ms).` : <>{checked.code}: <Bdi text={checked.detail ?? ""} /></>}
          </Notice>
        )}
      </div>
      <div class="actions">
        <Button
          icon={Check} disabled={busy}
          onClick={() => void act(async () => setChecked(
            await api.POST("/v1/photo-providers/{name}/check", { params: { path: { name: p.name } } }).then(data),
          ))}
        >
          Check the key
        </Button>
        {p.enabled
          ? <Button icon={Pause} disabled={busy} onClick={() => void set(false)}>Disable</Button>
          : <Button icon={Play} disabled={busy} onClick={() => ask(true)}>Enable …</Button>}
      </div>
      {asks && (
        <Dialog title={`Enable ${name}?`} close={() => ask(false)} footer={<>
          <Button onClick={() => ask(false)}>Cancel</Button>
          <Button kind="primary" icon={Play} onClick={() => void set(true)}>Enable</Button>
        </>}>
          <p>
            Calls to this provider cost money: at most {money(p.editMicros)} for an edit
            and {money(p.analyzeMicros)} for a description, and {money(p.dailyBudgetMicros)} a day.
          </p>
        </Dialog>
      )}
    </section>
  );
}

function State({ provider: { enabled, state } }: { provider: Provider }): JSX.Element {
  if (!enabled) return <Badge tone="neutral">Disabled</Badge>;
  if (state.suspended !== undefined) return <Badge tone="bad">Suspended</Badge>;
  if (state.heldUntil !== undefined || state.openUntil !== undefined) return <Badge tone="warn">Waiting</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}
