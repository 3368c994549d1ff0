package obs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/obs"
)

// The ids are those of the examples in https://www.w3.org/TR/trace-context/.
const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
	parent  = "00-" + traceID + "-" + spanID + "-01"
)

func TestContinueTraceKeepsTheTrace(t *testing.T) {
	got := obs.ContinueTrace("req-1", parent, "vendor=a b")
	if want := (obs.Trace{RequestID: "req-1", Parent: parent, State: "vendor=a b"}); got != want || got.ID() != traceID {
		t.Errorf("got %+v with id %s, want %+v with id %s", got, got.ID(), want, traceID)
	}
	if got := obs.TraceFrom(obs.WithTrace(t.Context(), got)); got.Parent != parent || got.State != "vendor=a b" || got.RequestID != "req-1" {
		t.Errorf("got %+v from the context, want the same trace", got)
	}
}

func TestContinueTraceDropsMissingOrMalformedHeaders(t *testing.T) {
	ff, zeros := strings.Repeat("f", 32), strings.Repeat("0", 32)
	tests := map[string]string{
		"absent":               "",
		"short":                parent[:54],
		"too long":             parent + "-00",
		"upper case":           strings.ToUpper(parent),
		"no trace id":          "00-" + zeros + "-" + spanID + "-01",
		"no span id":           "00-" + ff + "-" + zeros[:16] + "-01",
		"version ff":           "ff" + parent[2:],
		"not hex":              strings.Replace(parent, "0af", "0ag", 1),
		"underscores":          strings.ReplaceAll(parent, "-", "_"),
		"unfinished extension": "01" + parent[2:] + "x",
	}
	for name, sent := range tests {
		t.Run(name, func(t *testing.T) {
			got := obs.ContinueTrace("", sent, "vendor=1")
			if got.Parent != "" || got.State != "" || got.ID() != "" {
				t.Errorf("got %+v, want neither parent nor state", got)
			}
			if id, err := uuid.Parse(got.RequestID); err != nil || id.Version() != 7 {
				t.Errorf("got request id %q, want a UUIDv7", got.RequestID)
			}
		})
	}
}

func TestContinueTraceReadsALaterVersion(t *testing.T) {
	if got := obs.ContinueTrace("", "cc"+parent[2:]+"-more", ""); got.Parent != parent {
		t.Errorf("got parent %s, want %s", got.Parent, parent)
	}
}

func TestContinueTraceDropsAnInvalidState(t *testing.T) {
	for _, state := range []string{"a=\r\nb", "ü=1", strings.Repeat("x", 513)} {
		if got := obs.ContinueTrace("", parent, state); got.State != "" || got.Parent != parent {
			t.Errorf("got %+v, want the parent without a state", got)
		}
	}
}

func TestValidRequestIDIsAccepted(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "!~": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "a b": false, "a\n": false, "é": false, "\x7f": false,
	} {
		if got := obs.ContinueTrace(id, "", "").RequestID == id; got != want {
			t.Errorf("request id %q: got kept = %t, want %t", id, got, want)
		}
	}
}

func TestContextWithoutATrace(t *testing.T) {
	if got := obs.TraceFrom(context.Background()); got != (obs.Trace{}) || got.ID() != "" {
		t.Errorf("an empty context: got %+v, want no trace", got)
	}
	ctx := obs.WithTrace(obs.WithTrace(t.Context(), obs.ContinueTrace("", parent, "")), obs.Trace{})
	if got := obs.TraceFrom(ctx); got != (obs.Trace{}) {
		t.Errorf("after a reset: got %+v, want no trace", got)
	}
}
