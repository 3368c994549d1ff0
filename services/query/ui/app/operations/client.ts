// The calls for operators, typed by the OpenAPI document of their address.
import createClient from "openapi-fetch";
import { explain } from "../api/client.js";
import type { components, paths } from "../api/operators.js";

export type Schemas = components["schemas"];

// Operators have no owner. Where they must sign in, the browser adds the cookie of their session on the web page.
export const api = createClient<paths>();
api.use(explain);
