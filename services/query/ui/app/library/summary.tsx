// Statistics of the fields of records, below the heads of their columns.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.js";
import { count } from "../ui/text.js";
import { linkToken } from "./view.js";

export type Statistics = Schemas["Statistics"];

/**
 * The statistics of fields by name, of all records or of those that a filter selects. They are empty until they have been
 * read, and if that fails: the table does not need them.
 */
export function useStatistics(id: string, filter: string, fields: string): ReadonlyMap<string, Statistics> {
  const [all, setAll] = useState<ReadonlyMap<string, Statistics>>(new Map());
  useEffect(() => {
    let current = true;
    setAll(new Map());
    if (fields) {
      api.GET("/v1/library/files/{id}/records/summary", {
        params: { path: { id }, query: { fields, ...linkToken(), ...filter ? { filter } : {} } },
      }).then(data).then((summary) => {
        if (current) setAll(new Map((summary.fields ?? []).map((f) => [f.name, f])));
      }, () => undefined);
    }
    return () => { current = false; };
  }, [id, filter, fields]);
  return all;
}

const height = 24, step = 4;

/** A histogram or the most frequent values, with the range or the number of different values. */
export function Spread({ of }: { of: Statistics | undefined }): JSX.Element {
  if (!of) return <span class="spread" />;
  const bars = of.histogram?.counts ?? (of.values ?? []).map((v) => v.count), most = Math.max(1, ...bars), range = rangeOf(of);
  const label = [
    range, of.mean === undefined ? "" : `mean ${short(of.mean)}`,
    of.standardDeviation === undefined ? "" : `standard deviation ${short(of.standardDeviation)}`,
    ...(of.values ?? []).slice(0, 5).map((v) => `${v.value}: ${count(v.count)}`),
    of.missing > 0 ? `${count(of.missing)} without a value` : "",
  ].filter(Boolean).join(", ");
  return (
    <span class="spread" title={label}>
      <svg viewBox={`0 0 ${Math.max(1, bars.length) * step} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
        {bars.map((n, i) => {
          const high = n === 0 ? 0 : Math.max(1, n / most * height);
          return <rect key={i} x={i * step} y={height - high} width={step - 1} height={high} />;
        })}
      </svg>
      <span class="sub" aria-hidden="true">{range}</span>
    </span>
  );
}

function rangeOf(of: Statistics): string {
  if (of.min !== undefined) return `${short(of.min)} – ${short(of.max)}`;
  if (of.distinct) return `${count(of.distinct)} different`;
  return of.count === 0 ? "no values" : "more than 100,000 different";
}

/** A number with few digits, or the day of a date. */
function short(value: unknown): string {
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value).slice(0, 10);
}
