// A file: preview, records, metadata, steps and sharing.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, data } from "../api/client.js";
import { navigate, query, setQuery } from "../router.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Notice } from "../ui/feedback.js";
import { Download, External, Model, More, Retry, TableIcon, Trash } from "../ui/icon.js";
import { Menu, type MenuItem } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { maybePhoto, sending } from "../ui/send.js";
import { type Tab, Tabs } from "../ui/tabs.js";
import { Bdi, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { Asked, type Asking, changes, InTrash } from "./actions.js";
import { Metadata } from "./metadata.js";
import { attempt, trash } from "./nodes.js";
import { recordsOf, State } from "./parts.js";
import { Preview } from "./preview.js";
import { Records } from "./records.js";
import { isTable, type Options, Remarks, Reread } from "./reread.js";
import { Predicted } from "./predicted.js";
import { Share } from "./share.js";
import { Steps } from "./steps.js";
import { Train } from "./train.js";
import { downloadOf, isFinal, isOwn, isPrediction, kindOf, linkToken, type Node, nameOf, reasonOf, shownAt, sizeOf } from "./view.js";
import { Waiting } from "./waiting.js";

interface FileProps {
  node: Node;
  crumbs: { href: string; label: string }[];
  error: Error | undefined;
  reload: () => void;
}

export default function FileView({ node, crumbs, error, reload }: FileProps): JSX.Element {
  const own = isOwn(node), [asking, ask] = useState<Asking | "reread" | "train">(), close = (): void => ask(undefined);
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
  const trains = !node.trashed && isFinal(node) && node.totalRecords && !linkToken().link; // a visitor has no library
  const predicted = isPrediction(node);
  const tabs: Tab[] = [
    ...predicted && node.totalRecords ? [] : [{
      key: "preview", label: "Preview", content: () => <Preview key={node.version} node={node} />,
    }],
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
  const facts = [kindOf(node), sizeOf(node), recordsOf(node)].filter(Boolean).join(" · ");
  return (
    <Page
      title={nameOf(node)} outside crumbs={crumbs}
      lead={<span class="file-lead">
        <State node={node} />
        <span>{facts}</span>
        {node.createdAt && <span>{predicted ? "Created" : "Uploaded"} <Time iso={node.createdAt} /></span>}
      </span>}
      actions={<>
        {trains && <Button icon={Model} class="wide-only" onClick={() => ask("train")}>Train a model</Button>}
        {own && node.status === "Failed" && <Button icon={Retry} onClick={() => void again()}>Process again</Button>}
        {node.status !== "Loading" && <ButtonLink kind="primary" icon={Download} href={downloadOf(node)} download>Download</ButtonLink>}
        <Menu label="More actions" button={<More />} items={[
          ...predicted ? [] : [{ label: "Open the original", icon: External, href: shownAt(node) }],
          ...sends(node),
          ...trains ? [{ label: "Train a model", icon: Model, act: () => ask("train") }] : [],
          ...own && !node.trashed ? [
            ...changes(ask),
            ...isFinal(node) ? [{ label: "Process again", icon: Retry, act: () => void again() }] : [],
            ...reread ? [{ label: "Read the table differently", icon: TableIcon, act: reread }] : [],
            { label: "Move to trash", icon: Trash, danger: true, act: () => void remove() },
          ] : [],
        ]} />
      </>}
    >
      {error && <Notice tone="bad">{error.message}</Notice>}
      <InTrash node={node} ask={ask} />
      {node.status === "Failed" && <Notice tone="bad">The file could not be processed. <Bdi text={reasonOf(node)} /></Notice>}
      {node.status === "ProcessedPartially" && (
        <Notice tone="warn">Parts of the file could not be processed. <Bdi text={reasonOf(node)} /></Notice>
      )}
      {isFinal(node) && node.totalRecords ? <Remarks node={node} reread={reread} /> : null}
      {isFinal(node) && predicted && <Predicted node={node} />}
      <Tabs
        label="Views of the file" tabs={tabs} chosen={query.value.get("tab") ?? ""}
        choose={(key) => setQuery({ tab: key === tabs[0]?.key ? "" : key })}
      />
      {asking === "reread" && <Reread node={node} close={close} again={(options) => void again(options)} />}
      {asking === "train" && <Train node={node} close={close} />}
      <Asked node={node} asking={asking === "reread" || asking === "train" ? undefined : asking} close={close} />
    </Page>
  );
}

/** Where the content of a file can be sent. A visitor with a link has no items. */
function sends(node: Node): MenuItem[] {
  const item = { area: "library", id: node.id } as const;
  if (node.trashed || node.status === "Loading" || isPrediction(node) || linkToken().link) return [];
  return [
    ...isOwn(node) ? [] : [sending(item, "library")],
    ...node.subType === "Text" || node.subType === "Table" ? [sending(item, "textfile")] : [],
    ...node.subType === "Image" && maybePhoto(node.name, node.length) ? [sending(item, "photojob")] : [],
  ];
}
