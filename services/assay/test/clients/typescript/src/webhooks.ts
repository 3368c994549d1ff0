// Receives webhooks of a server and verifies them: with npm standardwebhooks and svix, and with the functions in
// docs/webhooks.md. The argument is the address of the server, which must be allowed to call this machine. If something is
// unexpected, the program throws an error and exits with status 1.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import createClient from "openapi-fetch";
import * as standard from "standardwebhooks";
import * as svix from "svix";
import { isSigned } from "./examples/ed25519.js";
import { verify } from "./examples/verify.js";
import type { components, paths } from "./generated.js";

const server = process.argv[2];
if (server === undefined) throw new Error("usage: webhooks.js URL");
const api = createClient<paths>({ baseUrl: server });
const owner = { "X-Owner-Id": randomUUID() };

interface Received { headers: IncomingHttpHeaders; body: Buffer }

const received: Received[] = [];
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.end();
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const { port } = receiver.address() as AddressInfo;

type Endpoint = components["schemas"]["WebhookSecretView"];

async function create(signature: "hmac" | "ed25519"): Promise<Endpoint> {
  const created = await api.POST("/v1/webhooks", {
    params: { header: owner }, body: { url: `http://127.0.0.1:${port}/${signature}`, signature },
  });
  assert(created.data, JSON.stringify(created.error));
  return created.data;
}

/** Sends a test event and returns its request. */
async function test({ id }: Endpoint): Promise<Received> {
  const sent = await api.POST("/v1/webhooks/{id}/test", { params: { path: { id }, header: owner } });
  assert.equal(sent.data?.status, "delivered", JSON.stringify(sent.data ?? sent.error));
  const request = received.find((r) => r.headers["webhook-id"] === sent.data?.id);
  assert(request, "the test event was not received");
  return request;
}

const text = (headers: IncomingHttpHeaders, name: string): string => String(headers[name]);

const verifiers: Record<string, (secret: string, r: Received) => void> = {
  standardwebhooks: (secret, r) => void new standard.Webhook(secret).verify(r.body, r.headers as Record<string, string>),
  svix: (secret, r) => void new svix.Webhook(secret).verify(r.body, r.headers as Record<string, string>),
  "docs/webhooks.md": (secret, r) => verify(secret, r.headers, r.body),
};

/** Every verifier accepts a request with each of the secrets, and rejects it with another secret, body, id or time. */
function check(r: Received, ...secrets: string[]): void {
  const other = { ...r, body: Buffer.from(r.body.toString().replace("{", "{ ")) };
  const renamed = { ...r, headers: { ...r.headers, "webhook-id": "another" } };
  const old = { ...r, headers: { ...r.headers, "webhook-timestamp": String(Number(r.headers["webhook-timestamp"]) - 600) } };
  for (const [name, accepts] of Object.entries(verifiers)) {
    for (const secret of secrets) {
      assert.doesNotThrow(() => accepts(secret, r), `${name} rejects a request`);
      for (const changed of [other, renamed, old]) assert.throws(() => accepts(secret, changed), Error, `${name} accepts a changed request`);
    }
    assert.throws(() => accepts("whsec_" + Buffer.alloc(32).toString("base64"), r), Error, `${name} accepts another secret`);
  }
}

async function symmetric(): Promise<void> {
  const first = await create("hmac");
  check(await test(first), first.secret);
  const rotated = await api.POST("/v1/webhooks/{id}/rotate", { params: { path: { id: first.id }, header: owner } });
  const second = rotated.data;
  assert(second && second.secret !== first.secret, JSON.stringify(rotated.data ?? rotated.error));
  const request = await test(second);
  assert.equal(text(request.headers, "webhook-signature").split(" ").length, 2, "a rotated endpoint must have two signatures");
  check(request, first.secret, second.secret);
}

async function asymmetric(): Promise<void> {
  const endpoint = await create("ed25519");
  const { headers, body } = await test(endpoint);
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => text(headers, name));
  assert(id && timestamp && signature);
  assert(isSigned(endpoint.secret, id, timestamp, signature, body), "the ed25519 signature is not valid");
  assert(!isSigned(endpoint.secret, id, timestamp, signature, Buffer.concat([body, body])), "the signature of another body is valid");
}

/** The outcome of a file arrives at the endpoint, and the call in its payload reads the file. */
async function outcome(): Promise<void> {
  const endpoint = await create("hmac"), form = new FormData();
  form.append("file", new Blob(["one fish two fish"], { type: "text/plain" }), "fish.txt");
  const uploaded = await fetch(new URL("/v1/files", server), { method: "POST", headers: owner, body: form });
  assert.equal(uploaded.status, 202);
  const { fileId } = await uploaded.json() as { fileId: string };
  const arrived = async (): Promise<Received> => {
    for (let left = 1200; left > 0; left--) {
      const found = received.find((r) => r.body.includes(fileId) && accepted(endpoint.secret, r));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the outcome did not arrive within a minute");
  };
  const request = await arrived();
  check(request, endpoint.secret);
  const payload = JSON.parse(request.body.toString()) as { type: string; data: { url: string; id: string } };
  assert.equal(payload.type, "textfile.completed");
  assert.equal(payload.data.id, fileId);
  const read = await fetch(new URL(payload.data.url, server), { headers: owner });
  assert.equal(((await read.json()) as { status: string }).status, "COMPLETED");
}

/** Reports whether a request is one to the endpoint with a secret: all endpoints have the same owner. */
function accepted(secret: string, r: Received): boolean {
  try {
    verify(secret, r.headers, r.body);
    return true;
  } catch {
    return false;
  }
}

await symmetric();
await asymmetric();
await outcome();
receiver.close();
console.log(`verified ${received.length} webhooks with ${Object.keys(verifiers).join(", ")}`);
