package obs

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Delivery identifies one of the deliveries of a message.
type Delivery struct {
	Message string // identifies the message and its consumer
	Number  int    // counted from 1
}

// BeginDelivery is like Begin for the span of a delivery. Its id is derived from the delivery, so that a redelivery can link
// to the previous delivery without a record of it, even if that one crashed and its span was never exported.
func BeginDelivery(ctx context.Context, name string, d Delivery, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if !Tracing(ctx) {
		return Begin(ctx, name, options...)
	}
	if parent := trace.SpanContextFromContext(ctx); d.Number > 1 && parent.HasTraceID() {
		previous := parent.WithSpanID(Delivery{d.Message, d.Number - 1}.spanID())
		options = append(options, trace.WithLinks(trace.Link{SpanContext: previous}))
	}
	ctx, span := Begin(context.WithValue(ctx, spanIDKey{}, d.spanID()), name, options...)
	return context.WithValue(ctx, spanIDKey{}, nil), span // other spans have other ids
}

func (d Delivery) spanID() trace.SpanID {
	sum := fnv.New64a()
	sum.Write([]byte(d.Message + "\x00" + strconv.Itoa(d.Number))) // never fails, as documented
	return trace.SpanID(spanOf(sum.Sum64() | 1))
}

type spanIDKey struct{}

// spanOf returns the bytes of a span id.
func spanOf(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

// ids generates random ids, except for spans whose id is in the context.
type ids struct{}

// SpanIDs returns the generator of the ids of all spans, which BeginDelivery requires.
func SpanIDs() sdk.IDGenerator { return ids{} }

func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if id, ok := ctx.Value(spanIDKey{}).(trace.SpanID); ok {
		return id
	}
	return trace.SpanID(spanOf(rand.Uint64() | 1))
}

func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	return generated(trace.TraceID{}).TraceID(), g.NewSpanID(ctx, trace.TraceID{})
}
