// Package web is the HTTP layer that all services share: one router for typed operations and plain
// handlers with one OpenAPI document, RFC 9457 problems for every error, middleware, live events,
// and a server with graceful shutdown.
//
// Register adds a typed JSON operation, Router.Handle a plain handler (uploads, live events). In
// both, an error becomes a problem: a *Problem is sent unchanged; any other error is a 500 whose
// cause is logged once and not sent.
package web
