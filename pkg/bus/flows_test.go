package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFlowsAreKeptInMindUpToABound: an owner costs nothing to make up, so that there
// may be any number of them.
func TestFlowsAreKeptInMindUpToABound(t *testing.T) {
	f := &flows{known: map[string]*flowCount{}}
	for n := range mostFlows + 100 {
		if lane, err := f.join(t.Context(), fmt.Sprint(n), 0); lane != 0 || err != nil {
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
		f := &fill{look: func(ctx context.Context) (float64, uint64, error) { looks++; return 0.5, 0, ctx.Err() }}
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

// TestLookIsOfTheMoment: who has to know where the stream begins looks earlier than
// those who ask how full it is, and no more often than a server bears.
func TestLookIsOfTheMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := uint64(0)
		f := &fill{look: func(context.Context) (float64, uint64, error) { first++; return 0, first, nil }}
		for _, want := range []uint64{1, 1, 2} {
			if got := f.kept(t.Context()); got != want {
				t.Errorf("look %d, want %d", got, want)
			}
			<-time.After(lookLeast * 2 / 3)
		}
	})
}

// TestFailedLookIsNotRepeatedAtOnce: a server that is away is not asked by each caller.
func TestFailedLookIsNotRepeatedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, away := 0, errors.New("away")
		f := &fill{look: func(context.Context) (float64, uint64, error) { looks++; return 0, 0, away }}
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

// TestWhoHasNothingWaitingIsNotAskedFor: what is before all that the stream keeps is done,
// so that the server need not be asked how much of it waits; unless others may have
// published of the flow, or more waits than is kept in mind. Where the stream begins is
// looked for before that.
func TestWhoHasNothingWaitingIsNotAskedFor(t *testing.T) {
	asked, waiting, newest, begins := 0, int64(0), uint64(0), uint64(0)
	f := &flows{
		known: map[string]*flowCount{},
		kept:  func(context.Context) uint64 { return begins },
		count: func(context.Context, string) (int64, uint64, error) {
			asked++
			return waiting, newest, nil
		},
	}
	synctest.Test(t, func(t *testing.T) {
		publish := func(sequence, first uint64, want, asks int) {
			t.Helper()
			lane, err := f.join(t.Context(), "flow", first)
			f.settle("flow", sequence)
			if lane != want || asked != asks || err != nil {
				t.Errorf("%d is in lane %d after %d questions, %v; want %d and %d", sequence, lane, asked, err, want, asks)
			}
		}
		for n := range uint64(100) {
			publish(10+n, 10+n-min(n, laneFirst-1), 0, 0) // with seven before it
		}
		waiting, newest = 8, 200
		publish(201, 102, 1, 1) // eight from 102 on
		<-time.After(time.Second)
		publish(202, 200, 1, 2) // the eight may be of others
		publish(203, 201, 0, 2) // now two of its own are all that can wait
		waiting, newest = 64, 300
		for n := range uint64(5) {
			publish(301+n, 201, 0, 2)
		}
		<-time.After(time.Second)
		for n := range uint64(8) {
			publish(307+n, 201, 2, 3)
		}
		publish(315, 301, 2, 3) // more of its own than are kept in mind
		<-time.After(time.Second)
		begins = 315
		publish(316, 301, 0, 3) // the last alone is left, as a look tells
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if begun := f.known["flow"].begun; begun != 0 {
		t.Errorf("%d publishes are under way, want none", begun)
	}
}
