package obs_test

import (
	"context"
	"regexp"
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

func TestContinueTraceKeepsTheTraceAndMakesASpan(t *testing.T) {
	got := obs.ContinueTrace("req-1", parent, "vendor=a b")
	if got.RequestID != "req-1" || got.State != "vendor=a b" || got.ID() != traceID {
		t.Errorf("got %+v, want request id req-1, state vendor=a b and trace %s", got, traceID)
	}
	if !regexp.MustCompile("^00-"+traceID+"-[0-9a-f]{16}-01$").MatchString(got.Parent) || strings.Contains(got.Parent, spanID) {
		t.Errorf("got parent %s, want the same trace and flags with a new span", got.Parent)
	}
	child := obs.ContinueTrace(got.RequestID, got.Parent, got.State)
	if child.RequestID != got.RequestID || child.ID() != traceID || child.State != got.State || child.Parent == got.Parent {
		t.Errorf("got child %+[2]v, want the same ids and state as %+[1]v with a new parent", got, child)
	}
}

func TestContinueTraceReplacesMissingOrMalformedHeaders(t *testing.T) {
	ff, zeros := strings.Repeat("f", 32), strings.Repeat("0", 32)
	tests := map[string]string{
		"absent":                                 "",
		"short":                                  parent[:54],
		"too long for version 00":                parent + "-00",
		"upper case":                             strings.ToUpper(parent),
		"no trace id":                            "00-" + zeros + "-" + spanID + "-01",
		"no span id":                             "00-" + ff + "-" + zeros[:16] + "-01",
		"version ff":                             "ff" + parent[2:],
		"not hex":                                strings.Replace(parent, "0af", "0ag", 1),
		"dashes misplaced":                       strings.ReplaceAll(parent, "-", "_"),
		"later version, no dash after the flags": "01" + parent[2:] + "x",
	}
	valid := regexp.MustCompile("^00-[0-9a-f]{32}-[0-9a-f]{16}-00$")
	for name, sent := range tests {
		t.Run(name, func(t *testing.T) {
			got := obs.ContinueTrace("", sent, "vendor=1")
			if !valid.MatchString(got.Parent) || got.ID() == traceID || got.ID() == ff {
				t.Errorf("got parent %s, want a new one", got.Parent)
			}
			if got.State != "" {
				t.Errorf("got state %q, want none without a valid parent", got.State)
			}
			if id, err := uuid.Parse(got.RequestID); err != nil || id.Version() != 7 {
				t.Errorf("got request id %q, want a UUIDv7", got.RequestID)
			}
		})
	}
}

func TestContinueTraceReadsALaterVersion(t *testing.T) {
	got := obs.ContinueTrace("", "cc"+parent[2:]+"-more", "")
	if got.ID() != traceID || !strings.HasPrefix(got.Parent, "00-") {
		t.Errorf("got parent %s, want the trace in version 00", got.Parent)
	}
}

func TestContinueTraceDropsAnInvalidState(t *testing.T) {
	for _, state := range []string{"a=\r\nb", "ü=1", strings.Repeat("x", 513)} {
		if got := obs.ContinueTrace("", parent, state); got.State != "" {
			t.Errorf("got state %q, want none", state)
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

func TestContextCarriesTheTrace(t *testing.T) {
	if got := obs.TraceFrom(context.Background()); got != (obs.Trace{}) || got.ID() != "" {
		t.Errorf("an empty context: got %+v, want no trace", got)
	}
	want := obs.ContinueTrace("", "", "")
	if got := obs.TraceFrom(obs.WithTrace(t.Context(), want)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
