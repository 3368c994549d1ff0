package obs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// Trace identifies everything that one request causes. It arrives with the request, appears in
// its log lines, and is sent in the headers of every event. The zero Trace means none.
type Trace struct {
	RequestID string // 1 to 128 visible ASCII characters: set by the client, or a UUIDv7
	Parent    string // W3C traceparent, version 00; its span id is that of this hop
	State     string // W3C tracestate, forwarded unchanged; "" for none
}

// ContinueTrace continues the trace of a caller, from the headers that it sent, as a new hop: same
// trace id, new span id. Absent or malformed values are generated, so the result always has a
// request id and a parent. A state without a valid parent is dropped, as W3C Trace Context
// requires.
func ContinueTrace(requestID, parent, state string) Trace {
	t := Trace{RequestID: requestID}
	if !validRequestID(requestID) {
		t.RequestID = newRequestID()
	}
	traceID, flags, ok := parseParent(parent)
	if !ok {
		t.Parent = "00-" + randomHex(16) + "-" + randomHex(8) + "-00"
		return t
	}
	t.Parent = "00-" + traceID + "-" + randomHex(8) + "-" + flags
	if validState(state) {
		t.State = state
	}
	return t
}

// ID returns the trace id, 32 hex digits, or "" when there is no valid parent.
func (t Trace) ID() string {
	id, _, _ := parseParent(t.Parent)
	return id
}

type traceKey struct{}

// WithTrace returns a context with t.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom returns the Trace of ctx, or the zero Trace.
func TraceFrom(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// validRequestID reports whether id may be accepted from a client: 1 to 128 visible ASCII
// characters.
func validRequestID(id string) bool {
	return id != "" && len(id) <= 128 && visible(id)
}

func visible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// parseParent parses a traceparent according to
// https://www.w3.org/TR/trace-context/#traceparent-header. For a version above 00 it uses the four
// known fields.
func parseParent(s string) (traceID, flags string, ok bool) {
	const length = 55 // version 2, trace id 32, span id 16, flags 2, and three dashes
	if len(s) < length || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return "", "", false
	}
	version, traceID, spanID, flags := s[:2], s[3:35], s[36:52], s[53:55]
	for _, part := range []string{version, traceID, spanID, flags} {
		if strings.Trim(part, "0123456789abcdef") != "" {
			return "", "", false
		}
	}
	switch {
	case version == "ff", version == "00" && len(s) != length, len(s) > length && s[length] != '-':
		return "", "", false
	case strings.Trim(traceID, "0") == "", strings.Trim(spanID, "0") == "":
		return "", "", false
	}
	return traceID, flags, true
}

// validState reports whether s can be propagated safely: up to 512 printable ASCII characters, the
// size that W3C Trace Context requires every hop to propagate.
func validState(s string) bool {
	return s != "" && len(s) <= 512 && visible(strings.ReplaceAll(s, " ", ""))
}

func newRequestID() string {
	return uuid.Must(uuid.NewV7()).String() // fails only if the system has no randomness
}

func randomHex(bytes int) string {
	id := make([]byte, bytes)
	rand.Read(id) // never fails, as documented
	return hex.EncodeToString(id)
}
