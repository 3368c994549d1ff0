// A model: its training, its report and what can be done with it.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, message } from "../api/client.js";
import { navigate, query, setQuery } from "../router.js";
import { Button } from "../ui/button.js";
import { ErrorState, Loading, Notice, Skeleton } from "../ui/feedback.js";
import { Download, External, Model, More, Retry, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { type Tab, Tabs } from "../ui/tabs.js";
import { Bdi, count, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { Asked, type Asking, changes, InTrash } from "./actions.js";
import { type Report, readReport, trainingSteps } from "./learning.js";
import { Metadata } from "./metadata.js";
import { attempt, trash } from "./nodes.js";
import { State } from "./parts.js";
import { Predict } from "./predict.js";
import { ReportView } from "./report.js";
import { Share } from "./share.js";
import { Steps } from "./steps.js";
import { addressOf, isFinal, isOwn, linkToken, nameOf, type Node, reasonOf, reportOf } from "./view.js";
import { Waiting } from "./waiting.js";

interface ModelProps {
  node: Node;
  crumbs: { href: string; label: string }[];
  error: Error | undefined;
  reload: () => void;
}

export default function ModelView({ node, crumbs, error, reload }: ModelProps): JSX.Element {
  const own = isOwn(node), [asking, ask] = useState<Asking | "predict">(), close = (): void => ask(undefined);
  const trained = isFinal(node) && node.status !== "Failed", [report, setReport] = useState<Report>(), [failed, setFailed] = useState("");
  const read = (): void => {
    setFailed("");
    if (trained) readReport(node).then(setReport, (reason: unknown) => setFailed(message(reason)));
  };
  useEffect(read, [node.id, node.version, trained]);
  const again = async (): Promise<void> => {
    const params = { path: { id: node.id } };
    const begun = await attempt(() => node.status === "Processed"
      ? api.POST("/v1/library/files/{id}/reprocess", { params }).then(data)
      : api.POST("/v1/library/files/{id}/retry", { params }).then(data));
    if (!begun) return;
    toast("The model will be trained again.");
    setReport(undefined);
    reload();
  };
  const remove = async (): Promise<void> => { if (await trash([node])) navigate(crumbs.at(-1)?.href ?? "/library"); };
  const steps = (): JSX.Element => <Steps node={node} again={undefined} reload={reload} sequence={trainingSteps} />;
  const tabs: Tab[] = [
    { key: "report", label: "Report", content: () => {
      if (!isFinal(node)) return <><Waiting node={node} /><div class="gap" />{steps()}</>;
      if (!trained) return steps();
      if (failed) return <ErrorState title="Could not load the report" error={failed} retry={read} />;
      if (!report) return <Loading what="the report"><Skeleton height={480} /></Loading>;
      return <ReportView key={node.version} node={node} report={report} />;
    } },
    { key: "metadata", label: "Metadata", content: () => <Metadata key={node.version} node={node} /> },
    ...trained ? [{ key: "steps", label: "Steps", content: steps }] : [],
    ...own && !node.trashed ? [{
      key: "sharing", label: "Sharing",
      content: () => <section class="card narrow-card"><Share node={node} /></section>,
    }] : [],
  ];
  const predicts = trained && !node.trashed && !linkToken().link; // a visitor has no library
  return (
    <Page
      title={nameOf(node)} outside crumbs={crumbs}
      lead={<span class="file-lead">
        <State node={node} />
        {trained && report && (
          <span>
            Predicts <Bdi text={report.target} />, from <a href={addressOf(report.file.id)}><Bdi text={report.file.name} /></a>
          </span>
        )}
        {trained && report?.model.version !== undefined && <span>Version {count(report.model.version)}</span>}
        {trained && report?.model.createdAt && <span>Trained <Time iso={report.model.createdAt} /></span>}
      </span>}
      actions={<>
        {predicts && report && <Button kind="primary" icon={Model} onClick={() => ask("predict")}>Predict</Button>}
        {own && !node.trashed && isFinal(node) && <Button icon={Retry} onClick={() => void again()}>Train again</Button>}
        <Menu label="More actions" button={<More />} items={[
          ...trained ? [
            { label: "Open the report", icon: External, href: reportOf(node) },
            { label: "Download the report", icon: Download, href: reportOf(node), download: true },
          ] : [],
          ...own && !node.trashed
            ? [...changes(ask), { label: "Move to trash", icon: Trash, danger: true, act: () => void remove() }]
            : [],
        ]} />
      </>}
    >
      {error && <Notice tone="bad">{error.message}</Notice>}
      <InTrash node={node} ask={ask} />
      {node.status === "Failed" && <Notice tone="bad">The model could not be trained. <Bdi text={reasonOf(node)} /></Notice>}
      <Tabs
        label="Views of the model" tabs={tabs} chosen={query.value.get("tab") ?? "report"}
        choose={(key) => setQuery({ tab: key === "report" ? "" : key })}
      />
      {asking === "predict" && report && <Predict node={node} report={report} close={close} />}
      <Asked node={node} asking={asking === "predict" ? undefined : asking} close={close} />
    </Page>
  );
}
