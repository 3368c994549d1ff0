// The page with the rules of the owner.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { message } from "../api/client.js";
import { Confirm } from "../ui/ask.js";
import { Button } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, RetryNotice, Skeleton } from "../ui/feedback.js";
import { Filter, More, Pause, Pencil, Play, Plus, Search, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { usePolled } from "../ui/poll.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { Form } from "./form.js";
import { Try } from "./try.js";
import { actionText, enable, itemsOf, listRules, remove, type Rule } from "./view.js";
import "./rule.css";

const every = 10_000; // ms between refreshes
const most = 100; // rules of an owner

export default function Rules(): JSX.Element {
  const { value: all, error, again } = usePolled(listRules, every);
  const [form, open] = useState<{ rule?: Rule }>(), [trying, tryRule] = useState(""), [deleting, ask] = useState("");
  const change = (done: Promise<unknown>): void => {
    done.then(() => again()).catch((failed: unknown) => toast(message(failed), { bad: true }));
  };
  const columns: Column<Rule>[] = [
    { key: "rule", label: "Rule", width: "minmax(0, 2fr)", cell: (r) => <>
      <span class="name clip"><Bdi text={r.name} clip /></span>
      <span class="sub clip"><Bdi text={itemsOf(r)} clip /></span>
    </> },
    { key: "does", label: "Does", width: "minmax(0, 2fr)", wide: true,
      cell: (r) => <Bdi text={r.actions.map(actionText).join(", ")} clip /> },
    { key: "order", label: "Order", width: "4rem", wide: true, align: "end", cell: (r) => r.order },
    { key: "state", label: "State", width: "6.5rem", align: "end",
      cell: (r) => <Badge tone={r.enabled ? "good" : "neutral"}>{r.enabled ? "Enabled" : "Disabled"}</Badge> },
    { key: "menu", label: "Actions", quiet: true, width: "3rem", align: "end", cell: (r) => (
      <Menu label={`Actions for ${r.name}`} button={<More />} items={[
        { label: "Edit …", icon: Pencil, act: () => open({ rule: r }) },
        { label: "Dry run", icon: Search, act: () => tryRule(r.name) },
        r.enabled
          ? { label: "Disable", icon: Pause, act: () => change(enable(r, false)) }
          : { label: "Enable", icon: Play, act: () => change(enable(r, true)) },
        { label: "Delete …", icon: Trash, danger: true, act: () => ask(r.name) },
      ]} />
    ) },
  ];
  const button = <Button kind="primary" icon={Plus} disabled={(all?.length ?? 0) >= most} onClick={() => open({})}>Add rule</Button>;
  return (
    <Page
      title="Rules" actions={all !== undefined && all.length > 0 && button}
      lead="Rules tag, move, send, edit or report new items that match a query."
    >
      {error && all && <RetryNotice error={error} retry={() => void again()} />}
      {all === undefined
        ? error
          ? <ErrorState title="Could not load the rules" error={error} retry={() => void again()} />
          : <Loading what="the rules"><Skeleton rows={4} height={55} /></Loading>
        : all.length === 0
        ? (
          <EmptyState icon={Filter} title="No rules" action={button}>
            A rule acts on items that begin to match a query after it was saved: once, and again after an item was processed again.
          </EmptyState>
        )
        : <Table label="Rules" columns={columns} rows={all} rowKey={(r) => r.name} />}
      {form && <Form {...form} saved={() => void again()} close={() => open(undefined)} />}
      {trying && <Try name={trying} close={() => tryRule("")} />}
      {deleting && (
        <Confirm
          title="Delete rule" verb="Delete" close={() => ask("")} act={() => { const name = deleting; ask(""); change(remove(name)); }}
        >The rule <Bdi text={deleting} /> will not act any more. What it has done stays.</Confirm>
      )}
    </Page>
  );
}
