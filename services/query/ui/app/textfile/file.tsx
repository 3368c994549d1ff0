import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, data, message } from "../api/client.js";
import { owner } from "../api/identity.js";
import { followArea } from "../api/live.js";
import { navigate, type PageProps } from "../router.js";
import { Bars } from "../ui/bars.js";
import { Button, ButtonLink } from "../ui/button.js";
import { Badge, EmptyState, ErrorState, Loading, Notice, ProgressBar, Skeleton } from "../ui/feedback.js";
import { Download, FileText, More, Retry, Trash } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";
import { Page } from "../ui/page.js";
import { maybePhoto, type Sending, sending } from "../ui/send.js";
import { Bdi, count, duration, Time } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { contentOf, remove, retry } from "./files.js";
import { type File, isForeign, type Result, states } from "./view.js";

const crumbs = [{ href: "/files", label: "Text files" }];

export default function FilePage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const [file, setFile] = useState<File>(), [error, setError] = useState<ApiError | Error>();
  const read = async (): Promise<void> => {
    try {
      setFile(await api.GET("/v1/files/{id}", { params: { path: { id } } }).then(data));
      setError(undefined);
    } catch (failed) {
      setError(failed instanceof Error ? failed : new Error(message(failed)));
    }
  };
  useEffect(() => {
    setFile(undefined);
    setError(undefined);
    void read();
    return followArea("textfile", (_, outcome) => { if (outcome.id === id) void read(); }, () => void read());
  }, [id]);

  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="File not found" crumbs={crumbs}>
        <EmptyState icon={FileText} title="This file does not exist" action={<ButtonLink href="/files">All text files</ButtonLink>}>
          It was deleted, or the link is wrong.
        </EmptyState>
      </Page>
    );
  }
  if (!file) {
    return (
      <Page title="Text file" crumbs={crumbs}>
        {error
          ? <ErrorState title="Could not load the file" error={error.message} retry={() => void read()} />
          : (
            <Loading what="the file">
              <div class="numbers"><Skeleton height={88} /><Skeleton height={88} /><Skeleton height={88} /></div>
              <Skeleton height={360} />
            </Loading>
          )}
      </Page>
    );
  }
  const own = file.ownerId === owner.value;
  const again = async (): Promise<void> => {
    const now = await retry(file);
    if (!now) return;
    setFile(now);
    toast("The file will be analyzed again.");
    void read();
  };
  const retried = { label: "Analyze again", icon: Retry, act: () => void again() };
  const [first, ...others] = sends(file), foreign = own && isForeign(file) ? first : undefined;
  return (
    <Page
      title={file.fileName} outside crumbs={crumbs}
      lead={<Badge tone={states[file.status].tone}>{states[file.status].label}</Badge>}
      actions={<>
        {foreign && <Button kind="primary" icon={foreign.icon} onClick={foreign.act}>{foreign.label}</Button>}
        {own && file.status === "FAILED" && !foreign && <Button icon={Retry} onClick={retried.act}>{retried.label}</Button>}
        <ButtonLink icon={Download} href={contentOf(file)} download>Download</ButtonLink>
        <Menu label="More actions" button={<More />} items={[
          ...foreign ? [...others, retried] : sends(file),
          ...own ? [{ label: "Delete", icon: Trash, danger: true, act: () => { remove(file); navigate("/files"); } }] : [],
        ]} />
      </>}
    >
      {error && <Notice tone="bad">{error.message}</Notice>}
      {file.status === "FAILED" && <Notice tone="bad">The file could not be analyzed: <Bdi text={file.errorMessage ?? ""} /></Notice>}
      {(file.status === "PENDING" || file.status === "IN_PROGRESS") && <Waiting file={file} />}
      {file.result && <Numbers result={file.result} />}
      {file.result && <Remarks result={file.result} />}
      <div class="columns">
        {file.result && <TopWords result={file.result} />}
        <History file={file} />
      </div>
    </Page>
  );
}

/** Where the content of a file can be sent, once it is stored. */
function sends(file: File): Sending[] {
  const item = { area: "textfile", id: file.fileId } as const;
  if (file.status === "PENDING" && !file.uploadedAt) return [];
  return [
    sending(item, "library"),
    ...file.status === "FAILED" && maybePhoto(file.fileName) ? [sending(item, "photojob")] : [],
  ];
}

function Waiting({ file }: { file: File }): JSX.Element {
  const text = file.status === "IN_PROGRESS"
    ? "The words are being counted."
    : file.uploadedAt ? "The file is stored and is waiting to be processed."
    : "The upload is not complete. To resume it, choose the file again on the Text files page.";
  return (
    <section class="card waiting" aria-live="polite">
      <p>{text} This page updates automatically.</p>
      <ProgressBar label="Analysis" />
    </section>
  );
}

function Numbers({ result }: { result: Result }): JSX.Element {
  const share = result.totalWords ? result.uniqueWords / result.totalWords : 0;
  return (
    <dl class="numbers">
      <div><dt>Words</dt><dd>{count(result.totalWords)}</dd></div>
      <div>
        <dt>Unique words</dt>
        <dd>{count(result.uniqueWords)} <small>{share.toLocaleString(navigator.languages, { style: "percent" })}</small></dd>
      </div>
      <div>
        <dt>Characters per word</dt>
        <dd>{result.avgWordLength.toLocaleString(navigator.languages, { maximumFractionDigits: 2 })}</dd>
      </div>
      {result.charset && (
        <div><dt>Charset</dt><dd>{result.charset} <small>{sources[result.charsetSource ?? "detected"]}</small></dd></div>
      )}
    </dl>
  );
}

const sources = { mark: "byte order mark", declared: "declared", detected: "detected", assumed: "uncertain" };

/** Remarks says what of the text was guessed, ignored or replaced. */
function Remarks({ result }: { result: Result }): JSX.Element | null {
  const remarks: string[] = [];
  if (result.charsetSource === "assumed") {
    remarks.push("Another charset is nearly as likely. If the words look wrong, upload the file with its charset.");
  }
  if (result.ignoredCharset) remarks.push(`The declared charset ${result.ignoredCharset} does not apply to the bytes of the file.`);
  if (result.replaced) remarks.push(`${count(result.replaced)} invalid bytes were replaced by \uFFFD.`);
  if (remarks.length === 0) return null;
  return <section class="card soft">{remarks.map((text) => <p key={text}>{text}</p>)}</section>;
}

function TopWords({ result }: { result: Result }): JSX.Element {
  const most = result.top10Words[0]?.count ?? 0;
  return (
    <section class="card" aria-labelledby="top-words">
      <h2 id="top-words">Most frequent words</h2>
      {most === 0 ? <p class="soft">The file has no words.</p> : (
        <Bars
          heads={["Word", "Count"]}
          bars={result.top10Words.map((w) => ({
            key: w.word, label: <Bdi text={w.word} clip />, share: w.count / most, value: count(w.count),
          }))}
        />
      )}
    </section>
  );
}

function History({ file }: { file: File }): JSX.Element {
  const ended = file.status === "COMPLETED" || file.status === "FAILED";
  const took = (new Date(file.updatedAt).getTime() - new Date(file.createdAt).getTime()) / 1000;
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol class="timeline">
        <li class="good"><p>Accepted</p><Time iso={file.createdAt} exact /></li>
        {file.uploadedAt && <li class="good"><p>Stored</p><Time iso={file.uploadedAt} exact /></li>}
        {file.status === "PENDING" && <li class="now"><p>{file.uploadedAt ? "Waiting for analysis" : "Waiting for the upload"}</p></li>}
        {file.status === "IN_PROGRESS" && <li class="now"><p>Analysis started</p><Time iso={file.updatedAt} exact /></li>}
        {ended && (
          <li class={file.status === "FAILED" ? "bad" : "good"}>
            <p>{file.status === "FAILED" ? "Analysis failed" : "Words counted"}</p>
            <Time iso={file.updatedAt} exact />
            {took >= 0 && <span class="soft"> · after {took < 1 ? `${Math.round(took * 1000)} ms` : duration(took)}</span>}
          </li>
        )}
      </ol>
      <dl class="facts"><dt>Id</dt><dd><code>{file.fileId}</code></dd></dl>
    </section>
  );
}
