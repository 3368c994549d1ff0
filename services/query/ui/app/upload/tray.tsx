// The uploads at the edge of the page, with their progress and results.
import type { JSX } from "preact";
import { online, outcomes } from "../api/live.js";
import { Button, IconButton } from "../ui/button.js";
import { ProgressBar } from "../ui/feedback.js";
import { Alert, Check, ChevronDown, Clock, Close, FileIcon, Pause, Play, Retry } from "../ui/icon.js";
import { Bdi, bytes, counted, duration } from "../ui/text.js";
import { Continue } from "./continue.js";
import { clearEnded, counts, type Item, items, listed, pause, remove, resume, retry, type State, trayOpen } from "./queue.js";

const shown = 100; // rows

export function Tray(): JSX.Element | null {
  if (items.value.length === 0) return null;
  const { active, processing, ended, error, lost, sent, total } = counts.value;
  const title = active > 0
    ? `Uploading ${counted(active, "file")}`
    : processing > 0 ? `Analyzing ${counted(processing, "file")}`
    : lost > 0 ? counted(lost, "unfinished upload")
    : error > 0 ? `${counted(ended, "upload")}, ${error} failed`
    : `${counted(ended, "upload")} done`;
  return (
    <section class={trayOpen.value ? "tray" : "tray folded"} aria-label="Uploads">
      <header>
        <h2 aria-live="polite">{title}</h2>
        {active === 0 && processing === 0 && ended > 0 && <Button kind="quiet" onClick={clearEnded}>Clear</Button>}
        <button
          type="button" class="icon-button fold" aria-expanded={trayOpen.value}
          aria-controls="uploads" aria-label={trayOpen.value ? "Hide uploads" : "Show uploads"}
          onClick={() => { trayOpen.value = !trayOpen.value; }}
        >
          <ChevronDown />
        </button>
      </header>
      {active > 0 && <ProgressBar label="All uploads" value={total ? sent / total : 0} />}
      {trayOpen.value && (
        <ul id="uploads">
          {listed.value.slice(0, shown).map((item) => <Row key={item.key} item={item} />)}
          {items.value.length > shown && <li class="soft">and {counted(items.value.length - shown, "more file", "more files")}</li>}
        </ul>
      )}
    </section>
  );
}

const sends = (state: State): boolean => state === "sending" || state === "paused" || state === "queued";

const icons = {
  lost: Alert, queued: Clock, sending: FileIcon, paused: Pause, processing: Clock, completed: Check, failed: Alert, error: Alert,
};

function Row({ item }: { item: Item }): JSX.Element {
  const state = item.state.value, sent = item.sent.value, Icon = icons[state], name = item.file.name, { label } = item.area.upload;
  return (
    <li class={`upload ${state}`} data-state={state}>
      <Icon />
      <div class="grow">
        <div class="clip">{sent ? <a href={sent.href}><Bdi text={name} clip /></a> : <Bdi text={name} clip />}</div>
        <div class="sub"><StateText item={item} /><span class="to"> · {label}</span></div>
        {(state === "sending" || state === "paused") && (
          <ProgressBar
            label={`Upload of ${name}`}
            value={item.progress.value.total ? item.progress.value.sent / item.progress.value.total : 1}
          />
        )}
      </div>
      {state === "lost" && <Continue item={item} />}
      {(state === "sending" || state === "queued") && <IconButton icon={Pause} label={`Pause ${name}`} onClick={() => pause(item)} />}
      {state === "paused" && <IconButton icon={Play} label={`Resume ${name}`} onClick={() => resume(item)} />}
      {state === "error" && <IconButton icon={Retry} label={`Try ${name} again`} onClick={() => retry(item)} />}
      <IconButton
        icon={Close}
        label={state === "lost" ? `Discard ${name}` : sends(state) ? `Cancel ${name}` : `Remove ${name} from the list`}
        onClick={() => remove(item)}
      />
    </li>
  );
}

function StateText({ item }: { item: Item }): JSX.Element {
  const { sent, total, bytesPerSecond, secondsLeft } = item.progress.value, percent = total ? Math.floor(sent / total * 100) : 100;
  switch (item.state.value) {
    case "lost": return <>
      Not finished, {bytes(total)}. {item.record.handle ? "It continues where it stopped." : "Choose the file again to continue."}
    </>;
    case "queued": return <>Waiting, {bytes(total)}</>;
    case "sending": return !online.value || outcomes.connection.value === "reconnecting"
      ? <>{percent}% of {bytes(total)}, waiting for the connection</>
      : (
        <>
          {percent}% of {bytes(total)}
          {bytesPerSecond > 0 && `, ${bytes(bytesPerSecond)}/s`}
          {secondsLeft !== undefined && secondsLeft >= 1 && `, ${duration(secondsLeft)} left`}
        </>
      );
    case "paused": return <>Paused at {percent}% of {bytes(total)}</>;
    case "processing": return <>Uploaded, analyzing</>;
    case "completed": return <>{item.text.value || "Done"}</>;
    case "failed":
    case "error": return <Bdi text={item.text.value} />;
  }
}
