package web

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assay-project/assay/pkg/obs"
)

// beginTrace begins the span of a request, in the trace of the client if it sent one. Probes have no span.
func beginTrace(req *http.Request) (context.Context, trace.Span) {
	received := obs.ContinueTrace(
		req.Header.Get("X-Request-Id"), req.Header.Get("Traceparent"), strings.Join(req.Header.Values("Tracestate"), ","))
	ctx := obs.WithTrace(req.Context(), received)
	if isProbe(req.URL.Path) {
		return ctx, noop.Span{}
	}
	return obs.Begin(ctx, req.Method, trace.WithSpanKind(trace.SpanKindServer))
}

// endTrace ends the span of a request. Like the labels of metrics, its name contains the route instead of the path, which may
// contain ids of owners.
func endTrace(span trace.Span, req *http.Request, status int) {
	if span.IsRecording() {
		route := routeOf(req)
		span.SetName(req.Method + " " + route)
		span.SetAttributes(semconv.HTTPRequestMethodKey.String(req.Method), semconv.HTTPRoute(route), semconv.HTTPResponseStatusCode(status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
	}
	span.End()
}

// isProbe reports whether a path is that of a check or of the metrics.
func isProbe(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics"
}
