package obs_test

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/assay-project/assay/pkg/obs"
)

// record returns a context whose spans are recorded.
func record(t *testing.T, options ...sdk.TracerProviderOption) (context.Context, *tracetest.SpanRecorder) {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	return obs.WithTracer(t.Context(), sdk.NewTracerProvider(append(options, sdk.WithSpanProcessor(spans))...)), spans
}

func TestSpansContinueTheTrace(t *testing.T) {
	ctx, spans := record(t)
	ctx, request := obs.Begin(obs.WithTrace(ctx, obs.ContinueTrace("req-1", parent, "")), "request")
	sent := obs.TraceFrom(ctx)
	_, child := obs.Start(ctx, "child")
	obs.End(child, errors.New("no connection"))
	obs.End(request, nil)
	ended := spans.Ended()
	if len(ended) != 2 {
		t.Fatalf("got %d spans, want 2", len(ended))
	}
	if at := ended[1]; at.SpanContext().TraceID().String() != traceID || at.Parent().SpanID().String() != spanID || at.Status().Code != codes.Unset {
		t.Errorf("the request has trace %s, parent %s and status %v, want %s, %s and none", at.SpanContext().TraceID(), at.Parent().SpanID(), at.Status(), traceID, spanID)
	}
	if at := ended[0]; at.Parent().SpanID() != ended[1].SpanContext().SpanID() || at.Status().Description != "no connection" {
		t.Errorf("the child has parent %s and status %v, want %s and an error", at.Parent().SpanID(), at.Status(), ended[1].SpanContext().SpanID())
	}
	if want := "00-" + traceID + "-" + ended[1].SpanContext().SpanID().String() + "-01"; sent.Parent != want || sent.RequestID != "req-1" {
		t.Errorf("events have the trace %+v, want parent %s and request id req-1", sent, want)
	}
}

// TestStartNeedsATrace checks that background requests, such as polls, have no spans of their own.
func TestStartNeedsATrace(t *testing.T) {
	ctx, spans := record(t)
	after, span := obs.Start(ctx, "poll")
	obs.End(span, nil)
	if n := len(spans.Ended()); n != 0 || obs.TraceFrom(after) != (obs.Trace{}) {
		t.Errorf("got %d spans and %+v, want none", n, obs.TraceFrom(after))
	}
}

func TestWithoutATracerIDsAreGenerated(t *testing.T) {
	ctx, span := obs.Begin(t.Context(), "request")
	obs.End(span, nil)
	if first := obs.TraceFrom(ctx); first.ID() == "" {
		t.Errorf("got %+v, want a generated trace", first)
	}
	ctx = obs.WithTrace(t.Context(), obs.ContinueTrace("", parent, ""))
	if ctx, _ = obs.Begin(ctx, "request"); obs.TraceFrom(ctx).Parent != parent {
		t.Errorf("got %+v, want the trace of the caller", obs.TraceFrom(ctx))
	}
	ctx, _ = obs.Begin(obs.WithTraceID(t.Context(), "req-1", traceID), "upload detected")
	if got := obs.TraceFrom(ctx); got.ID() != traceID || got.RequestID != "req-1" || got.Parent == parent {
		t.Errorf("with the id of a trace, got %+v, want a new span in trace %s", got, traceID)
	}
}

// TestTraceIDIsSampledAgain checks that a trace of which only the id is known is recorded or not as its ratio says, and that
// its span has no parent.
func TestTraceIDIsSampledAgain(t *testing.T) {
	for ratio, want := range map[float64]int{0: 0, 1: 1} {
		ctx, spans := record(t, sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(ratio))))
		ctx, span := obs.Begin(obs.WithTraceID(ctx, "", traceID), "upload detected")
		obs.End(span, nil)
		ended := spans.Ended()
		if len(ended) != want || obs.TraceFrom(ctx).ID() != traceID {
			t.Errorf("with ratio %v, got %d spans and trace %s, want %d and %s", ratio, len(ended), obs.TraceFrom(ctx).ID(), want, traceID)
		}
		for _, at := range ended {
			if at.Parent().IsValid() {
				t.Errorf("got parent %s, want none", at.Parent().SpanID())
			}
		}
	}
}

// TestRedeliveryLinksToThePreviousDelivery checks that the link does not depend on the export of the previous span.
func TestRedeliveryLinksToThePreviousDelivery(t *testing.T) {
	ctx, spans := record(t, sdk.WithIDGenerator(obs.SpanIDs()))
	ctx = obs.WithTrace(ctx, obs.ContinueTrace("", parent, ""))
	for number := 1; number <= 2; number++ {
		at, span := obs.BeginDelivery(ctx, "process", obs.Delivery{Message: "worker/stream/7", Number: number})
		_, child := obs.Start(at, "claim")
		obs.End(child, nil)
		obs.End(span, nil)
	}
	ended := spans.Ended()
	if len(ended) != 4 {
		t.Fatalf("got %d spans, want 4", len(ended))
	}
	claim, first, second := ended[0], ended[1], ended[3]
	if len(first.Links()) != 0 || len(second.Links()) != 1 || second.Links()[0].SpanContext.SpanID() != first.SpanContext().SpanID() {
		t.Errorf("got the links %v and %v, want one from the second delivery to the first, %s", first.Links(), second.Links(), first.SpanContext().SpanID())
	}
	if claim.SpanContext().SpanID() == first.SpanContext().SpanID() || ended[2].SpanContext().SpanID() == claim.SpanContext().SpanID() {
		t.Error("the steps of the deliveries have the same span id, want different ones")
	}
}
