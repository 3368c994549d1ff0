// The metadata of a file, with its fields and the records that failed.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { message } from "../api/client.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { FileText } from "../ui/icon.js";
import { Bdi, count, Time } from "../ui/text.js";
import { type Field, fieldsOf } from "./fields.js";
import { readMetadata } from "./nodes.js";
import type { Node } from "./view.js";

const sentence = 60; // characters from which texts of a list are shown below each other
const separate = ["fields", "failures"]; // shown in sections of their own
const units = new Map([["length", "bytes"], ["textLength", "bytes"], ["width", "px"], ["height", "px"]]);

export function Metadata({ node }: { node: Node }): JSX.Element {
  const [metadata, setMetadata] = useState<Record<string, unknown>>(), [error, setError] = useState("");
  const read = (): void => { readMetadata(node.id).then(setMetadata, (failed: unknown) => setError(message(failed))); };
  useEffect(read, [node.id]);
  if (error) return <ErrorState title="Could not load the metadata" error={error} retry={() => { setError(""); read(); }} />;
  if (!metadata) return <Loading what="the metadata"><Skeleton height={360} /></Loading>;
  const simple = Object.entries(metadata).filter(([name]) => !separate.includes(name)), fields = fieldsOf(metadata);
  const failures = Array.isArray(metadata["failures"]) ? metadata["failures"] as { index?: number; name?: string; error?: string }[] : [];
  return (
    <div class="columns metadata">
      <section class="card" aria-labelledby="about"><h2 id="about">About the file</h2>
        <dl class="facts wide">
          <div><dt>Id</dt><dd><code>{node.id}</code></dd></div>
          {node.md5 && metadata["md5"] === undefined && <div><dt>MD5</dt><dd><code>{node.md5}</code></dd></div>}
          {node.createdAt && <div><dt>Uploaded</dt><dd><Time iso={node.createdAt} exact /></dd></div>}
          {node.updatedAt && <div><dt>Changed</dt><dd><Time iso={node.updatedAt} exact /></dd></div>}
        </dl>
      </section>
      <section class="card" aria-labelledby="found"><h2 id="found">From the content</h2>
        {simple.length === 0 && <p class="soft">Nothing was found.</p>}
        {simple.length > 0 && (
          <dl class="facts wide">
            {simple.map(([name, value]) => <div key={name}><dt>{words(name)}</dt><dd>{shown(value, name)}</dd></div>)}
          </dl>
        )}
      </section>
      {fields.length > 0 && <Fields fields={fields} />}
      {failures.length > 0 && (
        <section class="card all-columns" aria-labelledby="failures"><h2 id="failures">Records that failed</h2>
          <ul class="failures">
            {failures.map((f) => (
              <li key={f.index}>
                <a href={`?tab=records&record=${f.index ?? 0}`}>Record {count((f.index ?? 0) + 1)}</a>{" "}
                <Bdi text={[f.name, f.error].filter(Boolean).join(": ")} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {simple.length === 0 && fields.length === 0 && node.status === "Loading" && (
        <EmptyState icon={FileText} title="The file is not uploaded yet" />
      )}
    </div>
  );
}

/** Splits a camelCase name into words. */
function words(name: string): string {
  const known = name.replace(/^(md5|sha\d+|crc32|url|id)$/i, (short) => short.toUpperCase());
  const text = known.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  if (/^SHA\d/.test(text)) return text.replace("SHA", "SHA-");
  return text.charAt(0).toUpperCase() + (/[A-Z]{2}/.test(text) ? text.slice(1) : text.slice(1).toLowerCase());
}

function shown(value: unknown, name = ""): ComponentChildren {
  if (typeof value === "number" && units.has(name)) return `${count(value)} ${units.get(name) ?? ""}`;
  if (typeof value === "number") return quantity(value, 3);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value.split("\n").map((line, i) => <div key={i}><Bdi text={line} /></div>);
  if (Array.isArray(value)) {
    return value.every((v) => typeof v !== "object" && String(v).length < sentence)
      ? <Bdi text={value.join(", ")} />
      : <ul>{value.slice(0, 50).map((v, i) => <li key={i}>{shown(v)}</li>)}</ul>;
  }
  if (value && typeof value === "object") {
    return (
      <dl class="facts nested">
        {Object.entries(value).map(([name, of]) => <div key={name}><dt><Bdi text={words(name)} /></dt><dd>{shown(of)}</dd></div>)}
      </dl>
    );
  }
  return "–";
}

/** Returns a number with a limited number of decimals, or with an exponent if it is very large or very small. */
function quantity(value: number, maximumFractionDigits: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e15) ? String(value) : value.toLocaleString(navigator.languages, { maximumFractionDigits });
}

function Fields({ fields }: { fields: Field[] }): JSX.Element {
  const cell = (value: unknown): string => value === undefined ? "" : typeof value === "number" ? quantity(value, 4) : String(value);
  return (
    <section class="card flush all-columns" aria-labelledby="fields"><h2 id="fields">Fields and properties</h2>
      <div class="scroll-x" role="group" aria-label="Table, scrollable" tabIndex={0}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">From</th>
              <th scope="col">Type</th>
              <th scope="col" class="end">Values</th>
              <th scope="col" class="end">Minimum</th>
              <th scope="col" class="end">Maximum</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((f) => (
              <tr key={`${f.name} ${f.property}`}>
                <th scope="row"><Bdi text={f.name} /></th>
                <td>{f.property ? "determined" : "file"}</td>
                <td>{f.type ?? ""}</td>
                <td class="end">{cell(f.count)}</td>
                <td class="end"><Bdi text={cell(f.min)} /></td>
                <td class="end"><Bdi text={cell(f.max)} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
