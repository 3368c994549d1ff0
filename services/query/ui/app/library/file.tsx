// A file: preview, records, metadata, steps and sharing.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, data } from "../api/client.js";
import { navigate, query, setQuery } from "../router.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Notice } from "../ui/feedback.js";
import { Download, External, Link, More, Move as MoveIcon, Pencil, Retry, TableIcon, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { type Tab, Tabs } from "../ui/tabs.js";
import { Bdi, bytes, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { Confirm, Move, Rename } from "./dialogs.js";
import { Metadata } from "./metadata.js";
import { attempt, erase, restore, trash } from "./nodes.js";
import { recordsOf, State } from "./parts.js";
import { Preview } from "./preview.js";
import { Records } from "./records.js";
import { isTable, type Options, Remarks, Reread } from "./reread.js";
import { Share, ShareDialog } from "./share.js";
import { Steps } from "./steps.js";
import { contentOf, isFinal, isOwn, kindOf, type Node, nameOf, shownAt } from "./view.js";
import { Waiting } from "./waiting.js";

interface FileProps {
  node: Node;
  crumbs: { href: string; label: string }[];
  error: Error | undefined;
  reload: () => void;
}

export default function FileView({ node, crumbs, error, reload }: FileProps): JSX.Element {
  const own = isOwn(node), [asking, ask] = useState<"rename" | "move" | "share" | "erase" | "reread">(), close = (): void => ask(undefined);
  const path = { id: node.id };
  const again = async (options?: Options): Promise<void> => {
    const call = { params: { path }, ...options ? { body: { options } } : {} };
    const begun = await attempt(() => node.status === "Processed"
      ? api.POST("/v1/library/files/{id}/reprocess", call).then(data)
      : api.POST("/v1/library/files/{id}/retry", call).then(data));
    if (!begun) return;
    toast("The file will be processed again.");
    reload();
  };
  const reread = own && !node.trashed && isFinal(node) && isTable(node) ? () => ask("reread") : undefined;
  const tabs: Tab[] = [
    { key: "preview", label: "Preview", content: () => <Preview key={node.version} node={node} /> },
    ...node.totalRecords ? [{
      key: "records", label: "Records",
      content: () => isFinal(node) ? <Records key={node.status} node={node} /> : <Waiting node={node} />,
    }] : [],
    { key: "metadata", label: "Metadata", content: () => <Metadata key={node.version} node={node} /> },
    { key: "steps", label: "Steps", content: () => <Steps node={node} again={own ? () => again() : undefined} reload={reload} /> },
    ...own && !node.trashed ? [{
      key: "sharing", label: "Sharing",
      content: () => <section class="card narrow-card"><Share node={node} /></section>,
    }] : [],
  ];
  const remove = async (): Promise<void> => { if (await trash([node])) navigate(crumbs.at(-1)?.href ?? "/library"); };
  const facts = [kindOf(node), node.length === undefined ? "" : bytes(node.length), recordsOf(node)].filter(Boolean).join(" · ");
  return (
    <Page
      title={nameOf(node)} outside crumbs={crumbs}
      lead={<span class="file-lead">
        <State node={node} />
        <span>{facts}</span>
        {node.createdAt && <span>Uploaded <Time iso={node.createdAt} /></span>}
      </span>}
      actions={<>
        {own && node.status === "Failed" && <Button icon={Retry} onClick={() => void again()}>Process again</Button>}
        {node.status !== "Loading" && <ButtonLink kind="primary" icon={Download} href={contentOf(node)} download>Download</ButtonLink>}
        {own && !node.trashed && <Button kind="danger" icon={Trash} onClick={() => void remove()}>Delete</Button>}
        <Menu label="More actions" button={<More />} items={[
          { label: "Open the original", icon: External, href: shownAt(node) },
          ...own && !node.trashed ? [
            { label: "Share", icon: Link, act: () => ask("share") },
            { label: "Rename", icon: Pencil, act: () => ask("rename") },
            { label: "Move", icon: MoveIcon, act: () => ask("move") },
            ...isFinal(node) ? [{ label: "Process again", icon: Retry, act: () => void again() }] : [],
            ...reread ? [{ label: "Read the table differently", icon: TableIcon, act: reread }] : [],
          ] : [],
        ]} />
      </>}
    >
      {error && <Notice tone="bad">{error.message}</Notice>}
      {node.trashed && (
        <Notice
          tone="warn"
          action={own && (
            <div class="actions">
              <Button onClick={() => void restore([node])}>Restore</Button>
              <Button kind="danger" onClick={() => ask("erase")}>Delete permanently</Button>
            </div>
          )}
        >
          This file is in the trash.
        </Notice>
      )}
      {node.status === "Failed" && <Notice tone="bad">The file could not be processed. <Bdi text={node.errorMessage ?? ""} /></Notice>}
      {node.status === "ProcessedPartially" && (
        <Notice tone="warn">Parts of the file could not be processed. <Bdi text={node.errorMessage ?? ""} /></Notice>
      )}
      {isFinal(node) && node.totalRecords ? <Remarks node={node} reread={reread} /> : null}
      <Tabs
        label="Views of the file" tabs={tabs} chosen={query.value.get("tab") ?? "preview"}
        choose={(key) => setQuery({ tab: key === "preview" ? "" : key })}
      />
      {asking === "rename" && <Rename node={node} close={close} />}
      {asking === "move" && <Move nodes={[node]} close={close} />}
      {asking === "share" && <ShareDialog node={node} close={close} />}
      {asking === "reread" && <Reread node={node} close={close} again={(options) => void again(options)} />}
      {asking === "erase" && (
        <Confirm title="Delete the file permanently?" verb="Delete permanently" close={close} act={() => {
          void erase([node]).then(() => navigate("/library/trash"));
        }}>
          The file and everything extracted from it will be deleted. You cannot undo this.
        </Confirm>
      )}
    </Page>
  );
}
