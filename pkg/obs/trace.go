package obs

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Trace is the trace of a context as it is sent in headers. It identifies everything that one request causes: it arrives
// with the request, and is sent with every event. The zero Trace means none.
type Trace struct {
	RequestID string // 1 to 128 visible ASCII characters: set by the client, or a UUIDv7
	Parent    string // W3C traceparent, which identifies the span of the sender; "" for none
	State     string // W3C tracestate, forwarded unchanged; "" for none
}

// ContinueTrace returns the trace of a caller, from the headers that it sent. An absent or malformed request id is
// generated. A malformed parent is dropped, and a state without a valid parent too, as W3C Trace Context requires.
func ContinueTrace(requestID, parent, state string) Trace {
	if !validRequestID(requestID) {
		requestID = uuid.Must(uuid.NewV7()).String() // fails only if the system has no randomness
	}
	return traceOf(requestID, parse(parent, state))
}

// ID returns the trace id, 32 hex digits, or "" when there is no valid parent.
func (t Trace) ID() string {
	if id := parse(t.Parent, "").TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

type requestKey struct{}

// WithTrace returns a context with t in place of its trace.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return trace.ContextWithRemoteSpanContext(context.WithValue(ctx, requestKey{}, t.RequestID), parse(t.Parent, t.State))
}

// WithTraceID is like WithTrace for a trace of which only the id is known, 32 hex digits. A span that Begin starts in the
// context has no parent, and whether it is recorded is decided again.
func WithTraceID(ctx context.Context, requestID, id string) context.Context {
	traceID, err := trace.TraceIDFromHex(id)
	if err != nil {
		return WithTrace(ctx, Trace{RequestID: requestID})
	}
	return trace.ContextWithRemoteSpanContext(context.WithValue(ctx, requestKey{}, requestID), trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID}))
}

// TraceFrom returns the Trace of ctx, or the zero Trace. Its parent is the current span.
func TraceFrom(ctx context.Context) Trace {
	requestID, _ := ctx.Value(requestKey{}).(string)
	return traceOf(requestID, trace.SpanContextFromContext(ctx))
}

const (
	parentHeader = "traceparent"
	stateHeader  = "tracestate"
)

func traceOf(requestID string, span trace.SpanContext) Trace {
	headers := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithRemoteSpanContext(context.Background(), span), headers)
	return Trace{RequestID: requestID, Parent: headers[parentHeader], State: headers[stateHeader]}
}

// maxState is the size that W3C Trace Context requires every hop to propagate.
const maxState = 512

// parse parses a traceparent and its tracestate according to https://www.w3.org/TR/trace-context/. The result is invalid if
// the parent is. A malformed or longer state is dropped.
func parse(parent, state string) trace.SpanContext {
	if parent == "" {
		return trace.SpanContext{}
	}
	if len(state) > maxState {
		state = ""
	}
	headers := propagation.MapCarrier{parentHeader: parent, stateHeader: state}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), headers))
}

// validRequestID reports whether id may be accepted from a client: 1 to 128 visible ASCII
// characters.
func validRequestID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}
