// Package web is the HTTP side that all services share: one router for typed operations and plain
// handlers with one OpenAPI document, RFC 9457 problems for every error, the middleware around all
// requests, live events, and a server that drains.
//
// Register adds a typed JSON operation, Router.Handle a plain handler (uploads, live events). In
// both, an error becomes a problem: a *Problem as it stands, anything else a 500 whose cause is
// logged once and not shown.
package web
