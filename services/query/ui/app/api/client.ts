// Requests to the API, typed by its OpenAPI document.
//
//   const file = await api.GET("/v1/files/{id}", { params: { path: { id } } }).then(data);
//
// data throws an ApiError, whose message can be shown to the user.
import createClient, { type Middleware } from "openapi-fetch";
import { identityHeaders, refused } from "./identity.js";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];

/** A problem according to RFC 9457. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  errors?: { field?: string; message?: string }[];
}

export class ApiError extends Error {
  /** status is 0 if there was no response. */
  constructor(message: string, readonly status: number, readonly problem: Problem = {}) {
    super(message);
    this.name = "ApiError";
  }

  /** The last part of the problem's type, such as file-too-large. */
  get code(): string {
    return this.problem.type?.split(":").pop() ?? "";
  }
}

export const unreachable = "Assay cannot be reached. Check the connection and try again.";

/** Returns the error of a response that is not 2xx, from its status and body. */
export function refusal(status: number, body: unknown): ApiError {
  const problem: Problem = typeof body === "object" && body !== null ? body : {};
  const fields = (problem.errors ?? []).map((e) => {
    const name = e.field?.replace(/^(body|query|path|header)\./, "") ?? "";
    return `${name} ${e.message ?? ""}`.trim();
  });
  const text = [problem.detail ?? problem.title, ...fields].filter(Boolean).join(" ");
  if (text) return new ApiError(text, status, problem);
  if (status === 502 || status === 503 || status === 504) return new ApiError(unreachable, status);
  return new ApiError(`Assay returned an error (${status}).`, status);
}

/** Returns the message that is shown to the user for an error of any kind. */
export function message(error: unknown): string {
  return error instanceof Error && error.message ? error.message : "Something went wrong.";
}

/** Adds the identity of the user to requests. */
const identify: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(identityHeaders())) request.headers.set(name, value);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) refused();
    return undefined;
  },
};

/** Converts the error of a request without a response into one that suggests what to do. */
export const explain: Middleware = {
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    return new ApiError(unreachable, 0);
  },
};

export const api = createClient<paths>();
api.use(identify, explain);

const exactDigits = 15; // a number with more digits may be rounded

/** Parses JSON like JSON.parse, but returns a number that may be rounded as its text, in browsers that provide it. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }): unknown => {
    const digits = context?.source?.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "") ?? "";
    return typeof value === "number" && digits.length > exactDigits ? context?.source : value;
  });
}

/** Returns the body of a response, or throws its ApiError. */
export function data<T>(result: { data?: T; error?: unknown; response: Response }): T {
  if (!result.response.ok) throw refusal(result.response.status, result.error);
  return result.data as T;
}
