// The menu of the user: the owner's id, which can be copied and replaced, and the theme.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { owner, session, setOwner, signOut, userName } from "../api/identity.js";
import { navigate } from "../router.js";
import { Button } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Check, Copy, Filter, Gauge, Moon, Sun, User, Webhook } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { toast } from "../ui/toast.js";
import { setTheme, theme } from "./theme.js";

export function Account(): JSX.Element {
  const [asks, ask] = useState(false);
  const themes = [
    { to: "system", label: "System theme", icon: Sun }, { to: "light", label: "Light theme", icon: Sun },
    { to: "dark", label: "Dark theme", icon: Moon },
  ] as const;
  return (
    <>
      <Menu label={session.value === "in" ? "Account and settings" : "Owner and settings"} button={<User />} items={[
        ...session.value !== "out" ? [
          { label: "Usage and quotas", icon: Gauge, act: () => navigate("/account") },
          { label: "Rules", icon: Filter, act: () => navigate("/rules") },
          { label: "Webhooks", icon: Webhook, act: () => navigate("/webhooks") },
        ] : [],
        ...session.value === "anonymous" ? [{ label: "Owner …", icon: User, act: () => ask(true) }] : [],
        ...session.value === "in"
          ? [{ label: `Sign out ${userName.value}`, icon: User, act: () => {
            signOut().catch(() => toast("You are still signed in: Assay cannot be reached.", { bad: true }));
          } }]
          : [],
        ...session.value === "out" ? [{ label: "Sign in", icon: User, act: () => location.assign("/") }] : [],
        ...themes.map(({ to, label, icon }) => ({ label, icon: theme.value === to ? Check : icon, act: () => setTheme(to) })),
      ]} />
      {asks && <OwnerDialog close={() => ask(false)} />}
    </>
  );
}

function OwnerDialog({ close }: { close: () => void }): JSX.Element {
  const [id, setId] = useState(owner.value);
  return (
    <Dialog title="Owner" close={close} footer={<>
      <Button icon={Copy} onClick={() => void copy(owner.value, "Owner ID")}>Copy</Button><span class="grow" />
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" type="submit" form="owner" disabled={id.trim() === "" || id === owner.value}>Use this ID</Button>
    </>}>
      <form id="owner" onSubmit={(event) => { event.preventDefault(); setOwner(id.trim()); }}>
        <label class="field">
          Owner ID
          <input
            data-focus value={id} maxLength={128} required autocomplete="off" spellcheck={false}
            aria-describedby="owner-help" onInput={(event) => setId(event.currentTarget.value)}
          />
        </label>
        <p id="owner-help" class="soft">
          Your files belong to this ID. Anyone who has it can view and change them. To access the same files on another
          device, enter it there. On the command line, set it as <code>ASSAY_OWNER</code>, unless <code>assay owner</code> prints it.
        </p>
      </form>
    </Dialog>
  );
}
