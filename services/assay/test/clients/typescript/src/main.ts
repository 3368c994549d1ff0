// Calls a server through a client whose types are generated from its OpenAPI document. The argument is the address of
// the server. If a response is unexpected, the program throws an error and exits with status 1.
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.js";

const server = process.argv[2];
if (server === undefined) throw new Error("usage: main.js URL");
const api = createClient<paths>({ baseUrl: server });
const owner = { "X-Owner-Id": randomUUID() };
const wait = "60s";

function expect(want: string, holds: boolean, response: { data?: unknown; error?: unknown }): void {
  if (!holds) throw new Error(`want ${want}, got ${JSON.stringify(response.data ?? response.error)}`);
}

// form returns the fields as a multipart body; by default, the client sends objects as JSON.
function form(fields: Record<string, string | File>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

async function file(): Promise<void> {
  const text = "one fish two fish";
  const reserved = await api.POST("/v1/files", { params: { header: owner }, body: { fileName: "fish.txt", size: text.length } });
  const reservation = reserved.data;
  if (reservation === undefined || !("upload" in reservation)) throw new Error(`reserve: ${JSON.stringify(reserved.error)}`);
  const { url, method, headers } = reservation.upload;
  if (url === undefined || method === undefined || headers === undefined) throw new Error(`reserve: ${JSON.stringify(reserved.data)}`);
  const sent = await fetch(url, { method, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "Content-Length")), body: new TextEncoder().encode(text) });
  if (!sent.ok) throw new Error(`the presigned upload returned ${sent.status}, want 200`);
  const path = { id: reservation.fileId };
  const uploaded = await api.POST("/v1/files/{id}/uploaded", { params: { path, header: owner } });
  expect("status 202 for the reported upload", uploaded.response.status === 202, uploaded);
  const done = await api.GET("/v1/files/{id}", { params: { path, header: owner, query: { wait } } });
  expect("a COMPLETED file with 4 words, 3 of them distinct", done.data?.status === "COMPLETED" && done.data.result?.totalWords === 4 && done.data.result.top10Words.length === 3, done);
  const list = await api.GET("/v1/owners/{ownerId}/files", { params: { path: { ownerId: owner["X-Owner-Id"] }, header: owner } });
  expect("a list of only the uploaded file", list.data?.files.length === 1 && list.data.files[0]?.fileId === path.id, list);
}

async function feed(): Promise<void> {
  const item = (text: string): components["schemas"]["Submission"] => ({
    sourceId: `twitter#${randomUUID()}`, sourceType: "twitter", text, matchedTags: ["generated"],
  });
  const first = item("The book was good.");
  const one = await api.POST("/v1/feed/items", { body: first });
  expect("status 201 for one item", one.response.status === 201, one);
  const many = await api.POST("/v1/feed/items", { body: { items: [first, item("The book was awful.")] } });
  expect("status 207 and 2 results for two items", many.response.status === 207 && many.data !== undefined && "results" in many.data && many.data.results.length === 2, many);
  const read = await api.GET("/v1/feed/items/{sourceId}", { params: { path: { sourceId: first.sourceId }, query: { wait } } });
  expect("a positive item", read.data?.sentiment === "positive", read);
  const summary = await api.GET("/v1/feed/summary");
  expect("a summary", summary.data !== undefined, summary);
}

// pixel is a PNG of 16 × 16 black pixels.
const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAADUlEQVR42mNgGAXIAAABEAABf80DtQAAAABJRU5ErkJggg==", "base64");

async function photo(): Promise<void> {
  const created = await api.POST("/v1/photos", {
    params: { header: owner }, body: { file: "dot.png" },
    bodySerializer: () => form({ prompt: "rotate 90", file: new File([pixel], "dot.png", { type: "image/png" }) }),
  });
  const job = created.data;
  if (job === undefined) throw new Error(`create a photo: ${JSON.stringify(created.error)}`);
  const done = await api.GET("/v1/photos/{id}", { params: { path: { id: job.jobId }, header: owner, query: { wait } } });
  expect("a COMPLETED job whose picture has a height of 16", done.data?.status === "COMPLETED" && done.data.editResult?.height === 16, done);
}

async function library(): Promise<void> {
  const folder = await api.POST("/v1/library/folders", { params: { header: owner }, body: { name: "papers" } });
  const parentId = folder.data?.id;
  if (parentId === undefined) throw new Error(`create a folder: ${JSON.stringify(folder.error)}`);
  const put = await api.POST("/v1/library/files", {
    params: { header: owner }, body: { file: "fish.txt" },
    bodySerializer: () => form({ parentId, file: new File(["One fish, two fish.\n"], "fish.txt", { type: "text/plain" }) }),
  });
  const id = put.data?.id;
  if (id === undefined) throw new Error(`upload a file: ${JSON.stringify(put.error)}`);
  const done = await api.GET("/v1/library/nodes/{id}", { params: { path: { id }, header: owner, query: { wait } } });
  expect("a Processed file", done.data?.status === "Processed", done);
  const list = await api.GET("/v1/library/nodes/{id}/children", { params: { path: { id: parentId }, header: owner } });
  expect("a folder with 1 node", list.data?.nodes.length === 1, list);
  const found = await api.GET("/v1/library/search", { params: { header: owner, query: { q: "fish", after: `${id}:${done.data?.version}` } } });
  expect("the file as the first hit", found.data?.hits[0]?.node.id === id, found);
}

async function problem(): Promise<void> {
  const missing = await api.GET("/v1/files/{id}", { params: { path: { id: randomUUID() }, header: owner } });
  expect("the problem not-found for a missing file", missing.error?.type === "urn:assay:problem:not-found", missing);
}

await Promise.all([file(), feed(), photo(), library(), problem()]);
