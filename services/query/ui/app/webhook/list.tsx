// The page with the webhook endpoints of the owner.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { navigate } from "../router.js";
import { Button } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Plus, Webhook } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { usePolled } from "../ui/poll.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, Time } from "../ui/text.js";
import { Register } from "./form.js";
import { Disabled } from "./notice.js";
import { type Endpoint, eventsOf, listEndpoints, stateOf, titleOf, wasDisabled } from "./view.js";
import "./webhook.css";

const every = 10_000; // ms between refreshes
const most = 10; // endpoints of an owner

const columns: Column<Endpoint>[] = [
  { key: "endpoint", label: "Endpoint", width: "minmax(0, 2fr)", cell: (e) => <>
    <a class="name clip" href={`/webhooks/${e.id}`}><Bdi text={titleOf(e)} clip /></a>
    <span class="sub clip"><Bdi text={e.url} clip /></span>
  </> },
  { key: "events", label: "Events", width: "minmax(0, 1fr)", wide: true, cell: (e) => <Bdi text={eventsOf(e)} clip /> },
  { key: "since", label: "Since", width: "7rem", wide: true, cell: (e) => <Time iso={e.failingSince ?? e.createdAt} /> },
  { key: "state", label: "State", width: "6.5rem", align: "end", cell: (e) => <Badge tone={stateOf(e).tone}>{stateOf(e).label}</Badge> },
];

export default function Endpoints(): JSX.Element {
  const { value: all, error, again } = usePolled(listEndpoints, every), [adding, add] = useState(false);
  const full = all !== undefined && all.length >= most;
  const button = <Button kind="primary" icon={Plus} disabled={full} onClick={() => add(true)}>Add endpoint</Button>;
  return (
    <Page
      title="Webhooks" actions={all !== undefined && all.length > 0 && button}
      lead={full
        ? `An owner can have at most ${most} endpoints. Delete one to add another.`
        : "Assay calls your URLs when items are completed or have failed."}
    >
      {error && all && <RetryNotice error={error} retry={() => void again()} />}
      {all?.filter(wasDisabled).map((e) => <Disabled key={e.id} endpoint={e} named enabled={() => void again()} />)}
      {all === undefined
        ? error
          ? <ErrorState title="Could not load the endpoints" error={error} retry={() => void again()} />
          : <Loading what="the endpoints"><Skeleton rows={4} height={55} /></Loading>
        : all.length === 0
        ? (
          <EmptyState icon={Webhook} title="No webhook endpoints" action={button}>
            Add the URL of a program that should be called when your files and photos are ready. Each request is signed, repeated
            until the program has accepted it, and can be sent again for 30 days.
          </EmptyState>
        )
        : <Table label="Webhook endpoints" columns={columns} rows={all} rowKey={(e) => e.id} linked />}
      {adding && <Register close={(id) => { add(false); if (id) navigate(`/webhooks/${id}`); }} />}
    </Page>
  );
}
