package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// TestFlowsAreKeptInMindUpToABound: an owner costs nothing to make up, so that there
// may be any number of them.
func TestFlowsAreKeptInMindUpToABound(t *testing.T) {
	f := &flows{known: map[string]*flowCount{}}
	for n := range mostFlows + 100 {
		if lane, err := f.join(t.Context(), fmt.Sprint(n)); lane != 0 || err != nil {
			t.Fatalf("the first of a flow is in lane %d, %v", lane, err)
		}
	}
	if len(f.known) > mostFlows {
		t.Errorf("%d are kept in mind, want %d at most", len(f.known), mostFlows)
	}
}

// TestLookIsForAll: the client for which the server is asked may go, and others ask no
// more until the answer is old.
func TestLookIsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		f := &fill{look: func(ctx context.Context) (float64, error) { looks++; return 0.5, ctx.Err() }}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			if part, err := f.now(gone); part != 0.5 || err != nil {
				t.Errorf("got %v, %v", part, err)
			}
		}
		if looks != 1 {
			t.Errorf("the server was asked %d times, want once", looks)
		}
	})
}

// TestFailedLookIsNotRepeatedAtOnce: a server that is away is not asked by each caller.
func TestFailedLookIsNotRepeatedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, away := 0, errors.New("away")
		f := &fill{look: func(context.Context) (float64, error) { looks++; return 0, away }}
		for range 3 {
			if _, err := f.now(t.Context()); !errors.Is(err, away) {
				t.Errorf("got %v", err)
			}
		}
		if looks != 1 {
			t.Errorf("the server was asked %d times, want once", looks)
		}
	})
}

// TestReasonFitsAHeader: a reason comes from an error and may be of any length.
func TestReasonFitsAHeader(t *testing.T) {
	for reason, want := range map[string]string{
		"a\r\nb\x00":                    "a  b ",
		strings.Repeat("é", 2000):       strings.Repeat("é", 500),
		"x" + strings.Repeat("é", 2000): "x" + strings.Repeat("é", 499),
	} {
		if got := oneLine(reason); got != want {
			t.Errorf("got %d bytes %q", len(got), got)
		}
	}
}
