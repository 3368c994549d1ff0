// Feedback: badges, progress, empty states, errors and loading placeholders.
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { reconnected } from "../api/live.js";
import { Alert, Check, Clock, Retry } from "./icon.js";
import { Button, IconButton } from "./button.js";

export type Tone = "neutral" | "active" | "good" | "bad" | "warn";

const toneIcons: Partial<Record<Tone, ComponentType>> = { good: Check, bad: Alert, warn: Alert, active: Clock };

/** A status in one word. The icon has the same meaning as the color. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }): JSX.Element {
  const Icon = toneIcons[tone];
  return <span class={`badge ${tone}`}>{Icon && <Icon />}{children}</span>;
}

/** A progress bar. value is from 0 to 1, or undefined for a task of unknown length. */
export function ProgressBar({ value, label, tone }: { value?: number; label: string; tone?: Tone }): JSX.Element {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      class={`progress ${tone ?? ""} ${percent === undefined ? "endless" : ""}`} role="progressbar"
      aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}
    >
      <div style={{ width: percent === undefined ? "30%" : `${percent}%` }} />
    </div>
  );
}

/** Shows that there is no content, and what to do next. */
export function EmptyState({ icon: Icon, title, children, action }: {
  icon: ComponentType; title: string; children?: ComponentChildren; action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <div class="empty-icon"><Icon /></div>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div class="actions">{action}</div>}
    </div>
  );
}

/** Calls act when a lost connection has come back. */
function useReconnected(act: (() => void) | undefined): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    let before = reconnected.peek();
    return reconnected.subscribe((now) => {
      if (now === before) return;
      before = now;
      latest.current?.();
    });
  }, []);
}

/** An error with a retry button. It also retries when a lost connection has come back. */
export function ErrorState({ title, error, retry }: { title: string; error: string; retry?: () => void }): JSX.Element {
  useReconnected(retry);
  return (
    <div class="empty" role="alert">
      <div class="empty-icon bad"><Alert /></div>
      <h2>{title}</h2>
      <p>{error}</p>
      {retry && <div class="actions"><Button icon={Retry} onClick={retry}>Try again</Button></div>}
    </div>
  );
}

/** A line about an error within a page. */
export function Notice({ tone, children, action }: { tone: Tone; children: ComponentChildren; action?: ComponentChildren }): JSX.Element {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {tone === "good" ? <Check /> : <Alert />}
      <div>{children}</div>
      {action}
    </div>
  );
}

/** The error of content that is shown, but could not be updated or continued. It also retries when a lost connection has come back. */
export function RetryNotice({ error, retry }: { error: string; retry: () => void }): JSX.Element {
  useReconnected(retry);
  return <Notice tone="bad" action={<IconButton icon={Retry} label="Try again" onClick={retry} />}>{error}</Notice>;
}

/** A placeholder with the size of the loading content, so that the layout does not shift. */
export function Skeleton({ rows = 1, height = 20 }: { rows?: number; height?: number }): JSX.Element {
  return (
    <div class="skeletons" aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => <div key={i} class="skeleton" style={{ height: `${height}px` }} />)}
    </div>
  );
}

/** Announces to screen readers that content is loading. */
export function Loading({ what, children }: { what: string; children: ComponentChildren }): JSX.Element {
  return <div aria-busy="true"><p class="visually-hidden" role="status">Loading {what}</p>{children}</div>;
}
