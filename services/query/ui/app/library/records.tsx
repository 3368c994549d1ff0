// The records of a file: a filter, an order, chosen columns with statistics, and export.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, ApiError, data, message } from "../api/client.js";
import { query, setQuery } from "../router.js";
import { Button, ButtonLink, IconButton } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Endless } from "../ui/endless.js";
import { EmptyState, ErrorState, Loading, Notice, Skeleton } from "../ui/feedback.js";
import { ChevronDown, ChevronLeft, ChevronRight, Close, Columns, Download, Filter, Model, Search } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { Menu } from "../ui/menu.js";
import { type Column, Table } from "../ui/table.js";
import { Bdi, count, counted } from "../ui/text.js";
import { both, fieldName } from "./conditions.js";
import { Drawing, Turnable } from "./drawing.js";
import { type Field, fieldsOf, isNumeric, listed } from "./fields.js";
import { predictions } from "./learning.js";
import { readMetadata } from "./nodes.js";
import { Spread, useStatistics } from "./summary.js";
import { drawn, exportOf, isPrediction, linkToken, type Node, recordContentOf, type RecordRow } from "./view.js";

const ColumnFilter = lazy(() => import("./columnfilter.js"));
const Plot = lazy(() => import("./plot.js"));

const shownAtFirst = 8, ofFile = 5; // columns
const pageSize = 100;
/** The number of records up to which those that a filter selects are described too. */
const describedAtOnce = 100_000;

/** The columns that are shown by default: predictions, the first fields of the file, then properties. */
function atFirst(fields: Field[], predicted: boolean): string[] {
  const own = fields.filter((f) => !f.property), determined = fields.filter((f) => f.property);
  if (predicted) {
    const made = predictions.filter((name) => determined.some((f) => f.name === name));
    return [...made, ...own.slice(0, ofFile).map((f) => f.name)];
  }
  const first = own.slice(0, Math.max(ofFile, shownAtFirst - determined.length));
  return [...first, ...determined.slice(0, shownAtFirst - first.length)].map((f) => f.name);
}

function parsed(list: string): string[] {
  return [...list.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)].map((m) => m[1]?.replaceAll("\"\"", "\"") ?? m[2] ?? "");
}

/** The format of the file, if its records can be exported in it. */
function nativeOf(metadata: Record<string, unknown>): string | undefined {
  const { records } = metadata;
  const format = typeof records === "object" && records !== null && "format" in records ? records.format : undefined;
  return typeof format === "string" && !["csv", "xlsx"].includes(format) ? format : undefined;
}

export function Records({ node }: { node: Node }): JSX.Element {
  const q = query.value, filter = q.get("filter") ?? "", chosen = q.get("fields") ?? "", sort = q.get("sort") ?? "";
  const [fields, setFields] = useState<Field[]>(), [choosing, choose] = useState(false), [failed, setFailed] = useState("");
  const [native, setNative] = useState<string>(), [matched, setMatched] = useState("");
  const [filteredBy, filterBy] = useState("");
  const [incomplete, setIncomplete] = useState<Record<string, number>>({});
  useEffect(() => {
    readMetadata(node.id).then((m) => { setFields(fieldsOf(m)); setNative(nativeOf(m)); }, (error: unknown) => setFailed(message(error)));
  }, [node.id]);
  const predicted = isPrediction(node);
  const names = useMemo(() => chosen ? parsed(chosen) : atFirst(fields ?? [], predicted), [chosen, fields, predicted]);
  const cheap = !filter || (node.totalRecords ?? 0) <= describedAtOnce;
  const statistics = useStatistics(node.id, filter, cheap ? listed(names) : "");
  const list = useMemo(() => new Endless<RecordRow>(async (cursor) => {
    const page = await api.GET("/v1/library/files/{id}/records", {
      params: {
        path: { id: node.id },
        query: { limit: pageSize, ...linkToken(), ...cursor ? { cursor } : {}, ...filter ? { filter } : {}, ...sort ? { sort } : {} },
      },
    }).then(data).catch((error: unknown) => { throw filterError(error); });
    setMatched(page.matched === undefined
      ? `At least ${count(page.matchedAtLeast ?? 0)} of ${counted(page.total, "record")} match`
      : `${count(page.matched)} of ${counted(page.total, "record")} match`);
    setIncomplete(page.incomplete ?? {});
    return { items: page.records, cursor: page.nextCursor };
  }, (r) => String(r.index)), [node.id, filter, sort]);
  useEffect(() => { list.refresh(); }, [list]);
  const rows = list.items.value, pictures = drawn(node), types = new Map((fields ?? []).map((f) => [f.name, f.type]));
  const columns: Column<RecordRow>[] = [
    {
      key: "index", label: "#", width: "4rem", align: "end",
      cell: (r) => (
        <button type="button" class="link num" onClick={() => setQuery({ record: String(r.index) })} aria-label={`Record ${r.index + 1}`}>
          {count(r.index + 1)}
        </button>
      ),
    },
    ...pictures ? [{
      key: "drawing", label: "Drawing", width: "7rem",
      cell: (r: RecordRow) => <Drawing id={node.id} record={r} small />,
    }] : [],
    ...node.preview !== "rows" ? [{
      key: "name", label: "Name", width: "11rem",
      cell: (r: RecordRow) => r.state === "Failed"
        ? <span class="sub bad clip"><Bdi text={r.error ?? "Failed"} clip /></span>
        : <Bdi text={r.name ?? ""} clip />,
    }] : [],
    ...names.map((name, i): Column<RecordRow> => ({
      key: `value-${i}`, label: name, width: "9rem", ...heading(name),
      ...isNumeric(types.get(name)) ? { align: "end" as const } : {},
      cell: (r) => <Bdi text={valueOf(r, name)} clip />,
    })),
  ];
  function heading(name: string): Pick<Column<RecordRow>, "head" | "sorted"> {
    const by = listed([name]), back = listed([`-${name}`]);
    const on = sort === by ? "ascending" : sort === back ? "descending" : undefined;
    const next = on === undefined ? by : on === "ascending" ? back : "";
    const head = (
      <span class="heading">
        <button type="button" class={`sort ${on ?? ""}`} onClick={() => setQuery({ sort: next })}>
          <Bdi text={name} clip /><ChevronDown />
        </button>
        <Spread of={statistics.get(name)} />
        <button type="button" class="filter-by" aria-label={`Filter by ${name}`} title="Filter" onClick={() => filterBy(name)}>
          <Filter />
        </button>
      </span>
    );
    return { ...on ? { sorted: on } : {}, head };
  }
  const numeric = (fields ?? []).filter((f) => isNumeric(f.type)).map((f) => f.name);
  const plotted = parsed(q.get("plot") ?? ""), [x, y = ""] = plotted.filter((name) => numeric.includes(name));
  const parameters = (format: string): Record<string, string> => ({
    format, ...filter ? { filter } : {}, ...chosen ? { fields: chosen } : {},
  });
  const open = q.get("record"), wrong = filter ? list.error.value : "";
  const missing = Object.keys(incomplete).filter((n) => names.includes(n) || filter.includes(n)).sort();
  return (
    <>
      <div class="toolbar records-toolbar">
        <form class="search-field grow" onSubmit={(event) => {
          event.preventDefault();
          setQuery({ filter: new FormData(event.currentTarget).get("filter")?.toString().trim() ?? "" });
        }}>
          <Search />
          <label>
            <span class="visually-hidden">Filter</span>
            <input
              key={filter} name="filter" type="search" maxLength={2000}
              placeholder={example(fields)} defaultValue={filter} spellcheck={false}
              aria-describedby={wrong ? "filter-error" : "filter-help"} aria-invalid={wrong !== ""}
            />
          </label>
        </form>
        <div class="actions">
          <Button icon={Columns} onClick={() => choose(true)} disabled={!fields}>Columns</Button>
          {numeric.length > 0 && (
            <IconButton icon={Model} label="Plot" aria-pressed={plotted.length > 0} onClick={() => setQuery({
              plot: plotted.length > 0 ? "" : listed(numeric.slice(0, 2)),
            })} />
          )}
          <Menu label="Export" button={<Download />} items={[
            { label: "Export as CSV", icon: Download, href: exportOf(node.id, { ...parameters("csv"), formulas: "text" }), download: true },
            { label: "Export as JSON Lines", icon: Download, href: exportOf(node.id, parameters("jsonl")), download: true },
            ...native ? [{
              label: `Export as ${native.toUpperCase()}`, icon: Download, href: exportOf(node.id, parameters(native)), download: true,
            }] : [],
          ]} />
        </div>
      </div>
      {wrong && <p id="filter-error" class="wrong" role="alert">{wrong}</p>}
      <details class="help">
        <summary id="filter-help">How to filter</summary>
        <p><code>logP &lt; 3 and ("Melting Point" &gt;= 120 or not CAS) and name ~ 'acid'</code></p>
        <p class="soft">
          Compare with &lt; &lt;= &gt; &gt;= = !=; ~ and !~ search for a text in the value; a name alone matches records
          that have a value. Combine with and, or, not and parentheses. <code>error</code> finds the records
          that failed.
        </p>
      </details>
      {x !== undefined && !wrong && <Plot node={node} numeric={numeric} x={x} y={y} filter={filter} sort={sort} />}
      {failed && <Notice tone="bad">{failed}</Notice>}
      {list.error.value && !wrong && list.begun.value && <Notice tone="bad">{list.error.value}</Notice>}
      {missing.length > 0 && <p class="soft">Not determined: {missing.map((n) => `${n} (${count(incomplete[n] ?? 0)})`).join(", ")}</p>}
      {content()}
      {choosing && fields && <ChooseColumns fields={fields} names={names} close={() => choose(false)} />}
      {filteredBy && (
        <ColumnFilter
          name={filteredBy} numeric={isNumeric(types.get(filteredBy))} statistics={statistics.get(filteredBy)} close={() => filterBy("")}
          apply={(condition) => { filterBy(""); setQuery({ filter: both(filter, condition) }); }}
        />
      )}
      {open !== null && <Details node={node} index={Number(open)} />}
    </>
  );

  function content(): JSX.Element | null {
    if (list.error.value && !list.begun.value) {
      return wrong ? null : <ErrorState title="Could not load the records" error={list.error.value} retry={() => list.refresh()} />;
    }
    if (!list.begun.value || !fields && !failed) return <Loading what="the records"><Skeleton height={480} /></Loading>;
    if (rows.length === 0 && list.more.value) {
      list.next();
      return <Loading what="the records"><Skeleton height={480} /></Loading>;
    }
    if (rows.length === 0) {
      return (
        <EmptyState
          icon={Search} title="No records match"
          action={<Button icon={Close} onClick={() => setQuery({ filter: "" })}>Clear filter</Button>}
        >
          Comparisons do not match records without a value.
        </EmptyState>
      );
    }
    return (
      <>
        {filter && <p class="soft" role="status">{matched}</p>}
        <div class="wide-table" role="region" aria-label="Records, scrollable" tabIndex={0}>
          <Table
            label="Records" columns={columns} rows={rows} rowKey={(r) => String(r.index)}
            rowHeight={pictures ? 84 : 44} onShow={list.show}
            rowClass={(r) => r.state === "Failed" ? "failed" : ""}
          />
        </div>
        {list.more.value
          ? <Skeleton rows={2} height={44} />
          : (
            <p class="list-end">
              {filter
                ? `${counted(rows.length, "record")} of ${count(node.totalRecords ?? rows.length)} match`
                : counted(rows.length, "record")}
            </p>
          )}
      </>
    );
  }
}

/** Shortens the error of a filter to what is wrong with it. */
function filterError(error: unknown): unknown {
  const found = error instanceof ApiError ? error.problem.errors?.find((e) => e.field === "query.filter")?.message : undefined;
  if (!found) return error;
  const text = found.replace(/^filter, /, "");
  return new Error(text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : "."));
}

/** An example of a filter for these fields. */
function example(fields: Field[] | undefined): string {
  const field = fields?.find((f) => isNumeric(f.type));
  if (!field || typeof field.max !== "number" || typeof field.min !== "number") return "Filter, such as name ~ 'acid'";
  const middle = (field.min + field.max) / 2;
  return `Filter, such as ${fieldName(field.name)} < ${Number(middle.toPrecision(2))}`;
}

function valueOf(r: RecordRow, name: string): string {
  const value = r.fields[name] ?? r.properties[name];
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function ChooseColumns({ fields, names, close }: { fields: Field[]; names: string[]; close: () => void }): JSX.Element {
  const [on, setOn] = useState<ReadonlySet<string>>(new Set(names));
  const toggle = (name: string): void => {
    const next = new Set(on);
    if (!next.delete(name)) next.add(name);
    setOn(next);
  };
  const save = (): void => {
    setQuery({ fields: listed(fields.map((f) => f.name).filter((n) => on.has(n))) });
    close();
  };
  return (
    <Dialog title="Columns" close={close} footer={<>
      <Button onClick={() => { setQuery({ fields: "" }); close(); }}>Reset</Button>
      <Button kind="primary" disabled={on.size === 0} onClick={save}>Show</Button>
    </>}>
      <ul class="column-list">
        {fields.map((f) => (
          <li key={`${f.name} ${f.property}`}>
            <label>
              <input type="checkbox" checked={on.has(f.name)} onChange={() => toggle(f.name)} />
              <span class="grow"><Bdi text={f.name} clip /></span>
              <span class="sub">{f.property ? "determined" : "from the file"}{f.type ? `, ${f.type}` : ""}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Details({ node, index }: { node: Node; index: number }): JSX.Element {
  const [record, setRecord] = useState<RecordRow>(), [error, setError] = useState("");
  useEffect(() => {
    setRecord(undefined);
    setError("");
    api.GET("/v1/library/files/{id}/records/{index}", { params: { path: { id: node.id, index }, query: linkToken() } }).then(data)
      .then(setRecord, (failed: unknown) => setError(message(failed)));
  }, [node.id, index]);
  const to = (at: number): void => setQuery({ record: String(at) });
  return (
    <Dialog title={`Record ${count(index + 1)}`} wide close={() => setQuery({ record: "" })} footer={<>
      <span class="grow actions">
        <IconButton icon={ChevronLeft} label="Previous record" disabled={index <= 0} onClick={() => to(index - 1)} />
        <IconButton
          icon={ChevronRight} label="Next record" disabled={index + 1 >= (node.totalRecords ?? 0)}
          onClick={() => to(index + 1)}
        />
      </span>
      <ButtonLink icon={Download} href={recordContentOf(node.id, index)} download>Download</ButtonLink>
    </>}>
      {error && <p class="wrong" role="alert">{error}</p>}
      {!record && !error && <Loading what="the record"><Skeleton height={320} /></Loading>}
      {record && (
        <div class="record" role="group" aria-label="Record" tabIndex={0}>
          {record.name && <p><strong><Bdi text={record.name} /></strong></p>}
          {record.error && <p class="wrong"><Bdi text={record.error} /></p>}
          {drawn(node) && <div class="record-drawing"><Turnable key={record.index} node={node} record={record} /></div>}
          <Values title="Determined by Assay" values={record.properties} />
          <Values title="From the file" values={record.fields} />
          {record.notDetermined && record.notDetermined.length > 0 && (
            <p class="soft">Not determined: <Bdi text={record.notDetermined.join(", ")} />.</p>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Values({ title, values }: { title: string; values: Record<string, unknown> }): JSX.Element | null {
  const all = Object.entries(values);
  if (all.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="facts wide">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt><Bdi text={name} /></dt>
            <dd><Bdi text={typeof value === "object" ? JSON.stringify(value) : String(value)} /></dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

