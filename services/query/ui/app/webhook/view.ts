// Endpoints and deliveries as users see them.
import { api, data, type Schemas } from "../api/client.js";
import type { Tone } from "../ui/feedback.js";

export type Endpoint = Schemas["EndpointView"];
export type Delivery = Schemas["DeliveryView"];
export type Attempt = Schemas["AttemptView"];
export type NewEndpoint = Schemas["WebhookSecretView"];

export const statuses: Record<Delivery["status"], { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "active" },
  delivered: { label: "Delivered", tone: "good" },
  dead: { label: "Dead", tone: "bad" },
};

/** The name of an endpoint, or the host and path of its URL. */
export function titleOf(e: Endpoint): string {
  return e.name ?? e.url.replace(/^https?:\/\//, "");
}

export function stateOf(e: Endpoint): { label: string; tone: Tone } {
  if (e.state === "disabled") return { label: "Disabled", tone: wasDisabled(e) ? "bad" : "neutral" };
  return e.failingSince ? { label: "Failing", tone: "warn" } : { label: "Active", tone: "good" };
}

/** Reports whether Assay disabled an endpoint, because its receiver failed. */
export function wasDisabled(e: Endpoint): boolean {
  return e.state === "disabled" && e.failingSince !== undefined;
}

/** Describes the events that an endpoint receives. */
export function eventsOf(e: Endpoint): string {
  const parts = [
    e.types?.length ? e.types.join(", ") : e.areas?.length ? e.areas.join(", ") : "all events",
    e.folder ? "in a folder" : "", e.tags?.length ? `tagged ${e.tags.join(" or ")}` : "", e.onlyNamed ? "only if named" : "",
  ];
  return parts.filter(Boolean).join(", ");
}

/** The result of an attempt. */
export function resultOf(a: Attempt): string {
  return a.httpStatus === undefined ? a.error ?? "no response" : String(a.httpStatus);
}

export async function listEndpoints(): Promise<Endpoint[]> {
  return (await api.GET("/v1/webhooks").then(data)).webhooks;
}

/** Enables or disables an endpoint. */
export async function enable(id: string, enabled: boolean): Promise<Endpoint> {
  return api.PATCH("/v1/webhooks/{id}", { params: { path: { id } }, body: { enabled } }).then(data);
}
