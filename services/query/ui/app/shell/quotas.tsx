// The usage and quotas of the user.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message, type Schemas } from "../api/client.js";
import { ErrorState, Loading, Notice, ProgressBar, Skeleton } from "../ui/feedback.js";
import { Page } from "../ui/page.js";
import { Bdi, bytes, count, Time } from "../ui/text.js";

type Me = Schemas["View"];

export default function Quotas(): JSX.Element {
  const [me, setMe] = useState<Me>(), [error, setError] = useState("");
  const read = (): void => {
    setError("");
    api.GET("/v1/me").then(data).then(setMe, (failed: unknown) => setError(message(failed)));
  };
  useEffect(read, []);
  return (
    <Page title="Account" lead="Your usage, and the quotas set by the operators of this server.">
      {error
        ? <ErrorState title="Could not load the account" error={error} retry={read} />
        : me ? <Shown me={me} />
        : <Loading what="the account"><Skeleton rows={4} height={64} /></Loading>}
    </Page>
  );
}

function Shown({ me: { quotas, use, ...me } }: { me: Me }): JSX.Element {
  const name = me.user?.displayName ?? me.user?.loginName ?? me.user?.email;
  return (
    <div class="columns">
      <section class="card quotas" aria-labelledby="use">
        <h2 id="use">Usage</h2>
        {!use && (
          <p class="soft">
            Usage is not counted without a quota of bytes, items or uploads, and until such a quota counts the first item.
          </p>
        )}
        {use && (
          <>
            <Used label="Stored" used={use.bytes} limit={quotas.bytes} text={bytes} />
            <Used label="Items" used={use.items} limit={quotas.items} text={count} />
            <Used label="Open uploads" used={use.uploads} limit={quotas.uploads} text={count} />
          </>
        )}
        <dl class="facts">
          <dt>Requests</dt><dd>{quotas.requests > 0 ? `at most ${count(quotas.requests)} per second` : "no quota"}</dd>
          <dt>Event streams</dt><dd>{quotas.streams > 0 ? `at most ${count(quotas.streams)} concurrently` : "no quota"}</dd>
        </dl>
      </section>
      <section class="card" aria-labelledby="who">
        <h2 id="who">Identity</h2>
        <dl class="facts">
          {name && <><dt>Name</dt><dd><Bdi text={name} /></dd></>}
          <dt>Owner</dt><dd>{me.owner ? <Bdi text={me.owner} /> : "–"}</dd>
          {me.kind && <>
            <dt>Signed in with</dt>
            <dd>{me.kind === "key" ? <>an API key{me.keyId && <> (<Bdi text={me.keyId} />)</>}</> : "the identity provider"}</dd>
          </>}
          {me.scopes && <><dt>Permissions</dt><dd>{me.scopes.join(", ")}{me.operator && ", operate this server"}</dd></>}
          {me.groups && me.groups.length > 0 && <><dt>Groups</dt><dd><Bdi text={me.groups.join(", ")} /></dd></>}
          {me.expiresAt && <><dt>Expires</dt><dd><Time iso={me.expiresAt} exact /></dd></>}
        </dl>
      </section>
    </div>
  );
}

function Used({ label, used, limit, text }: { label: string; used: number; limit: number; text: (n: number) => string }): JSX.Element {
  const share = limit > 0 ? used / limit : 0;
  return (
    <div class="used">
      <p><strong>{label}</strong> <span class="soft">{text(used)}{limit > 0 ? ` of ${text(limit)}` : ", no quota"}</span></p>
      {limit > 0 && <ProgressBar label={label} value={share} />}
      {share >= 1 && <Notice tone="bad">You have reached the quota. Delete something, or ask an operator for more.</Notice>}
    </div>
  );
}
