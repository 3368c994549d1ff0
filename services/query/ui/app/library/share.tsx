// Read access to a node: public, share links, users and groups.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message, type Schemas } from "../api/client.js";
import { session } from "../api/identity.js";
import { Button, IconButton } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Loading, Skeleton } from "../ui/feedback.js";
import { Copy, Link } from "../ui/icon.js";
import { Time, visible } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { attempt } from "./nodes.js";
import { isFolder, isModel, type Node, nameOf } from "./view.js";

const lifetimes = [{ key: "24h", label: "1 day" }, { key: "168h", label: "7 days" }, { key: "720h", label: "30 days" }];

export function ShareDialog({ node, close }: { node: Node; close: () => void }): JSX.Element {
  return (
    <Dialog title={`Share ${visible(nameOf(node))}`} close={close} footer={<Button kind="primary" onClick={close}>Done</Button>}>
      <Share node={node} />
    </Dialog>
  );
}

export function Share({ node }: { node: Node }): JSX.Element {
  const { id } = node, path = { id };
  const [permissions, setPermissions] = useState<Schemas["PermissionsView"]>(), [error, setError] = useState("");
  const [lifetime, setLifetime] = useState("168h"), [links, setLinks] = useState<Schemas["LinkView"][]>([]);
  useEffect(() => {
    api.GET("/v1/library/nodes/{id}/permissions", { params: { path } }).then(data)
      .then(setPermissions, (failed: unknown) => setError(message(failed)));
    api.GET("/v1/library/nodes/{id}/links", { params: { path } }).then(data)
      .then((list) => setLinks(list.links), (failed: unknown) => setError(message(failed)));
  }, [id]);
  const put = async (next: Schemas["PermissionsView"]): Promise<void> => {
    try {
      setPermissions(await api.PUT("/v1/library/nodes/{id}/permissions", { params: { path }, body: next }).then(data));
      setError("");
      toast("Permissions saved.");
    } catch (failed) {
      setError(message(failed));
    }
  };
  const create = async (): Promise<void> => {
    const link = await attempt(() => api.POST("/v1/library/nodes/{id}/links", {
      params: { path }, body: { expiresIn: lifetime },
    }).then(data));
    if (link) setLinks((list) => [...list.filter((l) => l.token !== link.token), link]);
  };
  const revoke = async (): Promise<void> => {
    const done = await attempt(async () => {
      await api.DELETE("/v1/library/nodes/{id}/links", { params: { path } }).then(data);
      return true;
    });
    if (!done) return;
    setLinks([]);
    toast("All links revoked.");
  };
  const what = isFolder(node) ? "this folder and everything in it" : isModel(node) ? "this model" : "this file";
  return (
    <div class="share">
      {error && <p class="wrong" role="alert">{error}</p>}
      {!permissions && !error && <Loading what="the permissions"><Skeleton height={48} rows={3} /></Loading>}
      {permissions && (
        <>
          <section>
            <label class="switch">
              <input
                type="checkbox" checked={permissions.isPublic}
                onChange={(event) => void put({ ...permissions, isPublic: event.currentTarget.checked })}
              />
              <span><strong>Public</strong><span class="sub">Anyone who can reach this server can read {what}.</span></span>
            </label>
          </section>
          <section>
            <h3>Links</h3>
            <p class="sub">Anyone with a link can read {what} until the link expires.</p>
            <div class="actions">
              <label>
                <span class="visually-hidden">Link expires after</span>
                <select value={lifetime} onChange={(event) => setLifetime(event.currentTarget.value)}>
                  {lifetimes.map((l) => <option key={l.key} value={l.key}>{l.label}</option>)}
                </select>
              </label>
              <Button icon={Link} onClick={() => void create()}>Create link</Button>
              {links.length > 0 && <Button kind="quiet" onClick={() => void revoke()}>Revoke all links</Button>}
            </div>
            {links.map((l) => (
              <ShareLink
                key={l.token}
                address={`${location.origin}/library/${id}?link=${encodeURIComponent(l.token)}`}
                expiresAt={l.expiresAt}
              />
            ))}
          </section>
          {session.value !== "anonymous" && <People permissions={permissions} save={put} />}
        </>
      )}
    </div>
  );
}

function ShareLink({ address, expiresAt }: { address: string; expiresAt: string }): JSX.Element {
  return (
    <div class="share-link">
      <input readOnly aria-label="Link" value={address} onFocus={(event) => event.currentTarget.select()} />
      <IconButton icon={Copy} label="Copy link" onClick={() => void copy(address, "Link")} />
      <span class="sub">Expires <Time iso={expiresAt} exact /></span>
    </div>
  );
}

const list = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

function People({ permissions, save }: {
  permissions: Schemas["PermissionsView"]; save: (next: Schemas["PermissionsView"]) => Promise<void>;
}): JSX.Element {
  const [users, setUsers] = useState(permissions.users.join(" ")), [groups, setGroups] = useState(permissions.groups.join(" "));
  const changed = list(users).join() !== permissions.users.join() || list(groups).join() !== permissions.groups.join();
  return (
    <section>
      <h3>Users and groups</h3>
      <p class="sub">Separate IDs with spaces.</p>
      <form class="people" onSubmit={(event) => {
        event.preventDefault();
        void save({ ...permissions, users: list(users), groups: list(groups) });
      }}>
        <label class="field">Users<input value={users} onInput={(event) => setUsers(event.currentTarget.value)} /></label>
        <label class="field">Groups<input value={groups} onInput={(event) => setGroups(event.currentTarget.value)} /></label>
        <Button type="submit" disabled={!changed}>Save</Button>
      </form>
    </section>
  );
}
