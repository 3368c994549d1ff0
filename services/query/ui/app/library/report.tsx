// The report of a model: the verdict, key figures, and the page with plots.
import type { JSX } from "preact";
import { Notice } from "../ui/feedback.js";
import { Bdi, count, counted, visible } from "../ui/text.js";
import type { Report } from "./learning.js";
import { type Node, nameOf, reportOf } from "./view.js";

interface Figure {
  name: string;
  value: string;
  note: string;
}

const figure = (value: number): string => value.toLocaleString(navigator.languages, { maximumSignificantDigits: 3 });
const percent = (value: number): string => value.toLocaleString(navigator.languages, { style: "percent", maximumFractionDigits: 1 });

/** The key figures of a report; those that are not defined are left out. */
export function figuresOf({ regression: r, classification: c, rows, features }: Report): Figure[] {
  const known = (name: string, value: number | undefined, format: typeof figure, note = ""): Figure[] =>
    value === undefined ? [] : [{ name, value: format(value), note }];
  const against = (baseline: number | undefined, format: typeof figure): string =>
    baseline === undefined ? "" : `baseline ${format(baseline)}`;
  const omitted = rows.leftOut.reduce((sum, l) => sum + l.count, 0);
  return [
    ...r ? [
      ...known("Error (RMSE)", r.rmse, figure, against(r.baselineRmse, figure)),
      ...known("Mean absolute error", r.mae, figure),
      ...known("R²", r.r2, figure),
    ] : [],
    ...c ? [
      ...known("AUC", c.auc, figure, "guessing 0.5"),
      ...known("Accuracy", c.accuracy, percent, against(c.baselineAccuracy, percent)),
    ] : [],
    { name: "Records", value: count(rows.used), note: omitted > 0 ? `${count(omitted)} left out` : "" },
    { name: "Features", value: count(features.used), note: features.bits > 0 ? `${counted(features.bits, "bit")} of fingerprints` : "" },
  ];
}

export function ReportView({ node, report }: { node: Node; report: Report }): JSX.Element {
  return (
    <>
      <Notice tone={report.verdict.better ? "good" : "warn"}><strong><Bdi text={report.verdict.sentence} /></strong></Notice>
      <dl class="numbers figures">
        {figuresOf(report).map(({ name, value, note }) => (
          <div key={name}><dt>{name}</dt><dd>{value}{note && <small>{note}</small>}</dd></div>
        ))}
      </dl>
      {report.remarks.length > 0 && (
        <Notice tone="warn"><ul class="remarks">{report.remarks.map((r) => <li key={r}><Bdi text={r} /></li>)}</ul></Notice>
      )}
      {/* The page has no scripts, and begins with the verdict. The browser sends the cookie that identifies the user. */}
      <iframe class="report" title={`Report of ${visible(nameOf(node))}`} src={`${reportOf(node)}#quality`} sandbox="" />
    </>
  );
}
