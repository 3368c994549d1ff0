package event

// Trace identifies the request that caused an event, in additional headers of its message. Each
// field is empty if it is unknown.
type Trace struct {
	RequestID string
	Parent    string // W3C traceparent
	State     string // W3C tracestate
}

const (
	headerRequestID = "assay-request-id"
	headerParent    = "traceparent"
	headerState     = "tracestate"
)

// Set sets the headers of the fields that are known.
func (t Trace) Set(header map[string][]string) {
	for _, h := range [...]struct{ name, value string }{{headerRequestID, t.RequestID}, {headerParent, t.Parent}, {headerState, t.State}} {
		if h.value != "" {
			header[h.name] = []string{h.value}
		}
	}
}

// ParseTrace parses the headers of a received message.
func ParseTrace(header map[string][]string) Trace {
	return Trace{RequestID: value(header, headerRequestID), Parent: value(header, headerParent), State: value(header, headerState)}
}
