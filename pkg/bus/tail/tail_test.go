package tail_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tailOf opens a tail until the test ends.
func tailOf(t *testing.T, b *bus.Bus, after uint64) *tail.Tail {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bustest.Patience)
	t.Cleanup(cancel)
	opened, err := tail.Open(ctx, b, zerolog.Nop(), bus.StreamOutcomes, after)
	if err != nil {
		t.Fatalf("open a tail after %d: %v", after, err)
	}
	t.Cleanup(opened.Close)
	return opened
}

// read reads n outcomes after a position.
func read(t *testing.T, b *bus.Bus, after uint64, n int) []bus.Delivery {
	t.Helper()
	open := tailOf(t, b, after)
	var got []bus.Delivery
	for range n {
		d, err := open.Next()
		if err != nil {
			t.Fatalf("the tail ended after %d of %d outcomes: %v", len(got), n, err)
		}
		got = append(got, d)
	}
	return got
}

// consumersOf returns the names of the consumers of the outcomes.
func consumersOf(t *testing.T, w *bustest.World) []string {
	t.Helper()
	s, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	list := s.ConsumerNames(t.Context())
	for name := range list.Name() {
		names = append(names, name)
	}
	if list.Err() != nil {
		t.Fatal(list.Err())
	}
	return names
}

func TestTailResumesWithoutGapOrRepeat(t *testing.T) {
	w := bustest.Open(t)
	const all = 30
	for i := range all / 2 {
		w.Publish(t, bustest.Completed(fmt.Sprintf("f%02d", i)))
	}
	var after uint64
	var items []string
	read := func(n int) {
		for _, d := range read(t, w.Bus, after, n) {
			items = append(items, d.Item)
			after = d.Sequence
		}
	}
	read(4)
	read(1)
	read(all/2 - 5)
	// The following outcomes are published while a reader waits.
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		for i := all / 2; i < all; i++ {
			if err := w.Bus.Publish(t.Context(), bustest.Completed(fmt.Sprintf("f%02d", i))); err != nil {
				t.Error(err)
			}
		}
	}()
	read(all / 2)
	<-ready
	for i, item := range items {
		if want := fmt.Sprintf("f%02d", i); item != want {
			t.Fatalf("outcome %d: got %s, want %s", i, item, want)
		}
	}
	if len(items) != all {
		t.Errorf("got %d outcomes, want %d", len(items), all)
	}
	oldest, newest, err := tail.Bounds(t.Context(), w.Bus, bus.StreamOutcomes)
	if err != nil || oldest != 1 || newest != after {
		t.Errorf("got bounds %d and %d, error %v, want 1 and %d", oldest, newest, err, after)
	}
}

func TestTailEndsWithItsContext(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Completed("f1"))
	ctx, cancel := context.WithCancel(t.Context())
	opened, err := tail.Open(ctx, w.Bus, zerolog.Nop(), bus.StreamOutcomes, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if _, err := opened.Next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := opened.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}

// TestClosedTailsLeaveNoConsumer checks that closed tails leave no consumer. The server allows
// 1,000 consumers of a stream, so consumers that remained for minutes after their readers left
// would soon use up the limit.
func TestClosedTailsLeaveNoConsumer(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Completed("f1"))
	for range 20 {
		open := tailOf(t, w.Bus, 0)
		if _, err := open.Next(); err != nil {
			t.Fatal(err)
		}
		if names := consumersOf(t, w); len(names) != 1 {
			t.Fatalf("got consumers %q, want only the one of the open tail", names)
		}
		open.Close()
		if names := consumersOf(t, w); len(names) != 0 {
			t.Fatalf("after the tail was closed: got consumers %q, want none", names)
		}
	}
}

func TestTailReportsTheLossOfItsConsumer(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Completed("f1"), bustest.Completed("f2"))
	open := tailOf(t, w.Bus, 0)
	for range 2 {
		if _, err := open.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range consumersOf(t, w) {
		if err := w.JS.DeleteConsumer(t.Context(), bus.StreamOutcomes, name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open.Next(); !errors.Is(err, tail.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
}

func TestTailRejectsGaps(t *testing.T) {
	w := bustest.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), bustest.Patience)
	defer cancel()
	if oldest, newest, err := tail.Bounds(t.Context(), w.Bus, bus.StreamOutcomes); err != nil || oldest != 1 || newest != 0 {
		t.Errorf("an empty stream: got bounds %d and %d, error %v, want 1 and 0", oldest, newest, err)
	}
	for i := range 5 {
		w.Publish(t, bustest.Completed(fmt.Sprintf("f%d", i)))
	}
	s, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), jetstream.WithPurgeSequence(4)); err != nil { // 4 and 5 remain
		t.Fatal(err)
	}
	for after, gone := range map[uint64]bool{0: true, 2: true, 3: false, 4: false, 6: true, math.MaxUint64: true} {
		if gone {
			if _, err := tail.Open(ctx, w.Bus, zerolog.Nop(), bus.StreamOutcomes, after); !errors.Is(err, tail.ErrGone) {
				t.Errorf("after %d: got error %v, want ErrGone", after, err)
			}
			continue
		}
		if got := read(t, w.Bus, after, 1); got[0].Sequence != after+1 {
			t.Errorf("after %d: got outcome %d, want the next one", after, got[0].Sequence)
		}
	}
	if err := s.DeleteMsg(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	w.Publish(t, bustest.Completed("f5"))
	if err := s.DeleteMsg(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := tail.Open(ctx, w.Bus, zerolog.Nop(), bus.StreamOutcomes, 5); !errors.Is(err, tail.ErrGone) {
		t.Errorf("after a purge: got error %v, want ErrGone", err)
	}
	w.Publish(t, bustest.Completed("f6"))
	if got := read(t, w.Bus, 6, 1); got[0].Item != "f6" {
		t.Errorf("the first outcome after the purge: got %s, want f6", got[0].Item)
	}
}

// TestTailReportsRemovedOutcomes checks that an outcome that is removed between the check of
// the stream and its delivery is not skipped silently.
func TestTailReportsRemovedOutcomes(t *testing.T) {
	w := bustest.Open(t)
	for i := range 3 {
		w.Publish(t, bustest.Completed(fmt.Sprintf("f%d", i)))
	}
	s, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	open := tailOf(t, w.Bus, 0)
	if d, err := open.Next(); err != nil || d.Sequence != 1 {
		t.Errorf("got first event %d, error %v, want 1", d.Sequence, err)
	}
	if d, err := open.Next(); !errors.Is(err, tail.ErrGone) {
		t.Errorf("got next event %d, error %v, want ErrGone", d.Sequence, err)
	}
}
