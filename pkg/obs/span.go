package obs

import (
	"context"
	"math/rand/v2"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// scope is the name of the instrumentation scope of all spans.
const scope = "github.com/assay-project/assay"

type tracerKey struct{}

// WithTracer returns a context whose spans are recorded by provider. Contexts of requests and deliveries derive from the
// context of their process, so that no other code refers to the provider.
func WithTracer(ctx context.Context, provider trace.TracerProvider) context.Context {
	return context.WithValue(ctx, tracerKey{}, provider.Tracer(scope))
}

// Tracing reports whether spans of ctx may be recorded.
func Tracing(ctx context.Context) bool { return ctx.Value(tracerKey{}) != nil }

// Start starts a span as a child of the span of ctx, and returns a context with it. Without a tracer or a trace in ctx, it
// has no effect. The caller must call End.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	tracer, ok := ctx.Value(tracerKey{}).(trace.Tracer)
	if !ok || !trace.SpanContextFromContext(ctx).HasTraceID() {
		return ctx, noop.Span{}
	}
	return tracer.Start(ctx, name, options...)
}

// Begin is like Start, but begins a trace if ctx has none. Without a tracer, the trace then consists of generated ids, which
// logs and events contain.
func Begin(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if tracer, ok := ctx.Value(tracerKey{}).(trace.Tracer); ok {
		return tracer.Start(ctx, name, options...)
	}
	if span := trace.SpanContextFromContext(ctx); !span.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, generated(span.TraceID()))
	}
	return ctx, noop.Span{}
}

// generated returns a span in the given trace, or in a new one if the id is zero. It is not sampled.
func generated(id trace.TraceID) trace.SpanContext {
	for !id.IsValid() {
		id = trace.TraceID(append(spanOf(rand.Uint64()), spanOf(rand.Uint64())...))
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID(spanOf(rand.Uint64() | 1))})
}

// Engine starts the span of an engine, and returns the function that ends it.
func Engine(ctx context.Context, name string) (closed func(error)) {
	_, span := Start(ctx, "engine "+name)
	return func(err error) { End(span, err) }
}

// Continue is like Begin for the trace of in, a context derived from ctx. The span is linked to that of ctx, its cause in
// another trace, such as a sweep.
func Continue(ctx, in context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	cause := trace.SpanContextFromContext(ctx)
	if parent := trace.SpanContextFromContext(in); cause.IsValid() && cause.SpanID() != parent.SpanID() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: cause}))
	}
	return Begin(in, name, options...)
}

// End ends a span. An error other than nil marks it as failed.
func End(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
