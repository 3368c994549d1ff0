// Package obs is what a service shows of itself: logs, metrics, health, and the trace that ties one
// request to everything it causes.
//
// Nothing here is global: loggers and registries are made in main and passed on.
package obs
