// The calls for operators, typed by the OpenAPI document of their address.
import { signal } from "@preact/signals";
import createClient, { type Middleware } from "openapi-fetch";
import { explain } from "../api/client.js";
import type { components, paths } from "../api/operators.js";

export type Schemas = components["schemas"];

/** Whether the server rejected a call because the user is not signed in. */
export const refused = signal(false);

const notice: Middleware = {
  onResponse({ response }) {
    if (response.status === 401) refused.value = true;
    return undefined;
  },
};

// Operators have no owner. If they must sign in, the browser adds the cookie of their session in the web app.
export const api = createClient<paths>();
api.use(notice, explain);
