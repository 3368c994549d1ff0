package feed

import (
	"context"
	"crypto/rand"

	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/obs"
)

// writer returns a unique token for the writer of an item. If the write has a recorded span, which no other write has, the
// token consists of the ids of its trace and span, so that readers of the change stream can continue the trace.
func writer(span trace.SpanContext) string {
	if !span.IsSampled() {
		return rand.Text()
	}
	return span.TraceID().String() + "-" + span.SpanID().String()
}

// Trace returns a context with the trace of the request that created the item, or without a trace if that was not recorded.
func (i Item) Trace(ctx context.Context) context.Context {
	return obs.WithTrace(ctx, obs.Trace{Parent: "00-" + i.Writer + "-01"})
}
