// The page of a webhook endpoint: its state, a test, its deliveries.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { outcomes } from "../api/live.js";
import { navigate, type PageProps, query, setQuery } from "../router.js";
import { Confirm } from "../ui/ask.js";
import { Button } from "../ui/button.js";
import { Endless } from "../ui/endless.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Check, Close, More, Pause, Pencil, Play, Retry, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { usePolled } from "../ui/poll.js";
import { type Column, Table } from "../ui/table.js";
import { Choice } from "../ui/tabs.js";
import { Bdi, count, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { DeliveryDialog } from "./delivery.js";
import { Edit, Secret } from "./form.js";
import { Disabled } from "./notice.js";
import { Replay } from "./replay.js";
import { type Delivery, enable, type Endpoint, eventsOf, type NewEndpoint, resultOf, stateOf, statuses, titleOf } from "./view.js";
import "./webhook.css";

const every = 5000; // ms between refreshes
const pageSize = 50;
const crumbs = [{ href: "/webhooks", label: "Webhooks" }];

type Asked = "edit" | "rotate" | "delete" | "replay";

export default function EndpointPage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "", path = { id };
  const { value: e, error, again } = usePolled(() => api.GET("/v1/webhooks/{id}", { params: { path } }).then(data), every, id);
  const [asked, ask] = useState<Asked>(), [secret, setSecret] = useState<NewEndpoint>(), [tested, setTested] = useState<Delivery>();
  const [busy, setBusy] = useState(false), list = useDeliveries(id);
  const act = async (what: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await what();
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
    setBusy(false);
    void again();
    list.refreshSoon();
  };
  const test = (): Promise<void> => act(async () => {
    setTested(undefined);
    setTested(await api.POST("/v1/webhooks/{id}/test", { params: { path } }).then(data));
  });
  const rotate = (): Promise<void> => act(async () => {
    setSecret(await api.POST("/v1/webhooks/{id}/rotate", { params: { path } }).then(data));
  });
  const remove = async (): Promise<void> => {
    try {
      await api.DELETE("/v1/webhooks/{id}", { params: { path } }).then(data);
      toast("Endpoint deleted.");
      navigate("/webhooks");
    } catch (failed) {
      toast(message(failed), { bad: true });
    }
  };
  if (!e) {
    return (
      <Page title="Webhook endpoint" crumbs={crumbs}>
        {error
          ? <ErrorState title="Could not load the endpoint" error={error} retry={() => void again()} />
          : <Loading what="the endpoint"><Skeleton rows={3} height={96} /></Loading>}
      </Page>
    );
  }
  const active = e.state === "active";
  return (
    <Page
      title={titleOf(e)} outside crumbs={crumbs} lead={<Badge tone={stateOf(e).tone}>{stateOf(e).label}</Badge>}
      actions={<>
        <Button kind="primary" icon={Play} disabled={busy || !active} onClick={() => void test()}>Send test event</Button>
        <Menu label="More actions" button={<More />} items={[
          { label: "Edit …", icon: Pencil, act: () => ask("edit") },
          { label: "Rotate the secret …", icon: Retry, act: () => ask("rotate") },
          active
            ? { label: "Disable", icon: Pause, act: () => void act(async () => { await enable(id, false); }) }
            : { label: "Enable", icon: Check, act: () => void act(async () => { await enable(id, true); }) },
          { label: "Delete …", icon: Trash, danger: true, act: () => ask("delete") },
        ]} />
      </>}
    >
      {error && <RetryNotice error={error} retry={() => void again()} />}
      {!active && <Disabled endpoint={e} enabled={() => void again()} />}
      {active && e.failingSince && (
        <Notice tone="warn">
          Requests have failed since <Time iso={e.failingSince} exact />. After five days without a success, the endpoint is disabled.
        </Notice>
      )}
      {e.previousSecretUntil && (
        <Notice tone="active">Until <Time iso={e.previousSecretUntil} exact />, requests are also signed with the previous secret.</Notice>
      )}
      {tested && <Tested delivery={tested} close={() => setTested(undefined)} />}
      <Facts endpoint={e} />
      <Deliveries endpoint={e} list={list} replay={() => ask("replay")} />
      {asked === "edit" && <Edit endpoint={e} changed={() => void again()} close={() => ask(undefined)} />}
      {asked === "replay" && <Replay endpoint={e} replayed={() => list.refreshSoon()} close={() => ask(undefined)} />}
      {asked === "rotate" && (
        <Confirm title="Rotate the secret?" verb="Rotate" kind="primary" close={() => ask(undefined)} act={() => void rotate()}>
          There will be a new secret. For 24 hours, requests are signed with both, so that your program can be changed meanwhile. If
          the secret has leaked, rotate twice.
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm title="Delete the endpoint?" verb="Delete" close={() => ask(undefined)} act={() => void remove()}>
          Pending deliveries are not sent, and the list of deliveries is lost.
        </Confirm>
      )}
      {secret && <Secret endpoint={secret} close={() => setSecret(undefined)} />}
    </Page>
  );
}

function Tested({ delivery: d, close }: { delivery: Delivery; close: () => void }): JSX.Element {
  const last = d.attempts.at(-1), good = d.status === "delivered";
  return (
    <Notice tone={good ? "good" : last ? "bad" : "warn"} action={<Button kind="quiet" icon={Close} onClick={close}>Dismiss</Button>}>
      {!last && "The test event has not been sent yet. See its delivery below."}
      {last && <>
        {last.httpStatus === undefined
          ? <>The test event failed: <Bdi text={resultOf(last)} />.</>
          : <>The receiver responded to the test event with {last.httpStatus} after {last.durationMs} ms.</>}
        {last.response && <span class="sub bad clip"><Bdi text={last.response.trim()} clip /></span>}
      </>}
    </Notice>
  );
}

function Facts({ endpoint: e }: { endpoint: Endpoint }): JSX.Element {
  return (
    <section class="card endpoint" aria-labelledby="endpoint">
      <h2 id="endpoint">Endpoint</h2>
      <dl class="facts">
        <dt>URL</dt><dd><code><Bdi text={e.url} /></code></dd>
        <dt>Events</dt><dd><Bdi text={eventsOf(e)} /></dd>
        {e.types?.length && e.areas?.length ? <><dt>Areas</dt><dd>{e.areas.join(", ")}</dd></> : null}
        {e.folder && <><dt>Folder</dt><dd><a href={`/library/${e.folder}`}>Show the folder</a></dd></>}
        <dt>Payload</dt><dd>{e.include === "result" ? "with the result" : "without the result"}</dd>
        <dt>Signature</dt><dd>{e.signature === "ed25519" ? "ed25519 (v1a)" : "HMAC-SHA256 (v1)"}</dd>
        {e.publicKey && <><dt>Public key</dt><dd><code>{e.publicKey}</code></dd></>}
        <dt>Created</dt><dd><Time iso={e.createdAt} exact /></dd>
      </dl>
    </section>
  );
}

const filters = [
  { key: "", label: "All" }, ...(["pending", "delivered", "dead"] as const).map((key) => ({ key, label: statuses[key].label })),
];

const columns: Column<Delivery>[] = [
  { key: "event", label: "Event", width: "minmax(0, 1fr)", cell: (d) => <>
    <a class="name clip" href={`?${new URLSearchParams([...query.peek(), ["event", d.id]]).toString()}`}><Bdi text={d.type} clip /></a>
    <span class="sub clip"><Bdi text={d.itemId ?? d.id} clip /></span>
  </> },
  { key: "last", label: "Last attempt", width: "minmax(0, 14rem)", wide: true, cell: (d) => {
    const last = d.attempts.at(-1);
    return <span class="clip">{last ? <Bdi text={resultOf(last)} clip /> : "–"}</span>;
  } },
  { key: "time", label: "Time", width: "6.5rem", wide: true, align: "end", cell: (d) => <Time iso={d.timestamp} /> },
  { key: "status", label: "Status", width: "6.5rem", align: "end", cell: (d) => (
    <Badge tone={statuses[d.status].tone}>{statuses[d.status].label}</Badge>
  ) },
];

/** The deliveries to an endpoint with the chosen status. */
function useDeliveries(id: string): Endless<Delivery> {
  const status = filters.find((f) => f.key === query.value.get("status"))?.key ?? "";
  const list = useMemo(() => new Endless<Delivery>(async (cursor) => {
    const page = await api.GET("/v1/webhooks/{id}/deliveries", {
      params: {
        path: { id }, query: { limit: pageSize, ...status ? { status: status as Delivery["status"] } : {}, ...cursor ? { cursor } : {} },
      },
    }).then(data);
    return { items: page.deliveries, cursor: page.nextCursor };
  }, (d) => d.id), [id, status]);
  useEffect(() => {
    list.refresh();
    const timer = setInterval(() => { if (!document.hidden) list.refreshSoon(); }, every);
    const follow = outcomes.follow({ event: () => list.refreshSoon() });
    return () => { clearInterval(timer); follow(); };
  }, [list]);
  return list;
}

function Deliveries({ endpoint, list, replay }: { endpoint: Endpoint; list: Endless<Delivery>; replay: () => void }): JSX.Element {
  const status = query.value.get("status") ?? "", rows = list.items.value, error = list.error.value;
  const shown = rows.find((d) => d.id === query.value.get("event"));
  return (
    <section aria-labelledby="deliveries">
      <div class="toolbar">
        <h2 id="deliveries">Deliveries</h2>
        <div class="actions">
          <Choice label="Status" options={filters} chosen={status} choose={(key) => setQuery({ status: key })} />
          <Button icon={Retry} disabled={endpoint.state === "disabled"} onClick={replay}>Replay …</Button>
        </div>
      </div>
      {error && list.begun.value && <RetryNotice error={error} retry={() => list.refresh()} />}
      {!list.begun.value
        ? error
          ? <ErrorState title="Could not load the deliveries" error={error} retry={() => list.refresh()} />
          : <Loading what="the deliveries"><Skeleton rows={5} height={55} /></Loading>
        : rows.length === 0
        ? (
          <EmptyState icon={Check} title={status ? "No such deliveries" : "No deliveries yet"}>
            {status ? "No delivery of the last 30 days has this status." : "Send a test event to see whether your program responds."}
          </EmptyState>
        )
        : (
          <>
            <Table label="Deliveries" columns={columns} rows={rows} rowKey={(d) => d.id} onShow={list.show} linked />
            {list.more.value ? <Skeleton rows={2} height={55} /> : <p class="list-end">{count(rows.length)} shown</p>}
          </>
        )}
      {shown && (
        <DeliveryDialog endpoint={endpoint} delivery={shown} replayed={() => list.refreshSoon()} close={() => setQuery({ event: "" })} />
      )}
    </section>
  );
}
