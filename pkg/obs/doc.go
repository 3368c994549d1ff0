// Package obs provides the observability of a service: logs, metrics, health, and the trace that
// connects a request to everything it causes.
//
// Nothing here is global: loggers and registries are created in main and passed in.
package obs
