package event

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Envelope contains the headers of a received event. It is the zero value for a message that is not
// a CloudEvent.
type Envelope struct {
	ID     string
	Type   string // full message name, such as assay.v1.AnalysisCompleted
	Source string // publishing service: /ingest, /analyzer
	Item   string
	Owner  string
	Time   time.Time
	// Version is that of Event: 0 if the message does not state it, and math.MaxInt if it is unreadable.
	Version int
}

const (
	headerID     = "ce-id"
	headerType   = "ce-type"
	headerSource = "ce-source"
	headerItem   = "ce-subject"
	headerOwner  = "ce-owner"
	headerTime   = "ce-time"

	// HeaderVersion states the version of a message if it is above 1.
	HeaderVersion = "assay-version"
)

// Headers returns the CloudEvents 1.0 attributes of e in the binary mode of the NATS protocol
// binding: each in its own header, percent-encoded. A Content-Type header is omitted, because in
// that binding it would indicate structured mode.
func (e Event) Headers(source string) map[string][]string {
	h := make(map[string][]string, 14) // with room for the headers that the bus adds
	h["ce-specversion"] = []string{"1.0"}
	h["ce-datacontenttype"] = []string{"application/json"}
	h[headerID] = []string{escape(e.ID)}
	h[headerType] = []string{e.Type()}
	h[headerSource] = []string{escape(source)}
	h[headerItem] = []string{escape(e.Item)}
	h[headerTime] = []string{e.Time.UTC().Format(time.RFC3339Nano)}
	if e.Owner != "" {
		h[headerOwner] = []string{escape(e.Owner)}
	}
	if e.Version > 1 {
		h[HeaderVersion] = []string{strconv.Itoa(e.Version)}
	}
	return h
}

// ParseEnvelope parses the headers of a received message. Names are matched case-insensitively,
// because other clients may send them in any case.
func ParseEnvelope(header map[string][]string) (Envelope, error) {
	var env Envelope
	var failed error
	for name, values := range header {
		lower := strings.ToLower(name)
		if lower == HeaderVersion && len(values) > 0 {
			env.Version = parseVersion(values[0])
			continue
		}
		if len(values) == 0 || !strings.HasPrefix(lower, "ce-") {
			continue
		}
		value, err := url.PathUnescape(values[0])
		if err != nil {
			failed = fmt.Errorf("header %s: %w", name, err)
			continue
		}
		switch lower {
		case headerID:
			env.ID = value
		case headerType:
			env.Type = value
		case headerSource:
			env.Source = value
		case headerItem:
			env.Item = value
		case headerOwner:
			env.Owner = value
		case headerTime:
			if env.Time, err = time.Parse(time.RFC3339Nano, value); err != nil {
				failed = fmt.Errorf("header %s: %w", name, err)
			}
		}
	}
	return env, failed
}

// parseVersion returns a version that no consumer supports if the header is unreadable.
func parseVersion(text string) int {
	version, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt
	}
	return version
}

// escape percent-encodes the characters that the CloudEvents HTTP and NATS bindings require: space,
// double quote, percent, and everything outside printable ASCII.
func escape(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '%' }) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
