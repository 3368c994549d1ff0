// The calls for operators, typed by the OpenAPI document of their address.
import createClient from "openapi-fetch";
import { identify } from "../api/client.js";
import type { components, paths } from "../api/operators.js";

export type Schemas = components["schemas"];

export const api = createClient<paths>();
api.use(identify);
