import type { JSX } from "preact";
import { count } from "../ui/text.js";

interface Minute { completed: number; failed: number; accepted: number; waiting: number }

const height = 32, step = 3;

/** The outcomes of the last hour by minute: completed below, failed on top. */
export function Outcomes({ minutes, area }: { minutes: Minute[]; area: string }): JSX.Element {
  const most = Math.max(1, ...minutes.map((m) => m.completed + m.failed));
  const done = minutes.reduce((n, m) => n + m.completed, 0), failed = minutes.reduce((n, m) => n + m.failed, 0);
  const label = `${area}: ${count(done)} completed and ${count(failed)} failed in the last hour, at most ${count(most)} in a minute`;
  const bar = (n: number): number => n === 0 ? 0 : Math.max(2, n / most * height);
  return (
    <svg class="spark" viewBox={`0 0 ${minutes.length * step} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      <title>{label}</title>
      {minutes.map((m, i) => {
        const good = bar(m.completed), bad = bar(m.failed);
        return <g key={i}>
          {good > 0 && <rect class="completed" x={i * step} y={height - good} width={step - 1} height={good} />}
          {bad > 0 && <rect class="failed" x={i * step} y={Math.max(0, height - good - bad)} width={step - 1} height={bad} />}
        </g>;
      })}
      <line x1="0" x2={minutes.length * step} y1={height - 0.5} y2={height - 0.5} />
    </svg>
  );
}
