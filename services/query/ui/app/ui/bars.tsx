import type { ComponentChildren, JSX } from "preact";

interface Bar {
  key: string;
  label: ComponentChildren;
  /** From 0 to 1: the length of the bar. */
  share: number;
  value: ComponentChildren;
}

/** A chart of horizontal bars, which is a table to screen readers. heads name its two columns. */
export function Bars({ heads, bars }: { heads: [string, string]; bars: Bar[] }): JSX.Element {
  return (
    <table class="bars">
      <thead class="visually-hidden"><tr>{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
      <tbody>
        {bars.map((b) => (
          <tr key={b.key}>
            <th scope="row">{b.label}</th>
            <td><div class="bar"><div style={{ width: `${Math.min(1, b.share) * 100}%` }} /></div><span>{b.value}</span></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
