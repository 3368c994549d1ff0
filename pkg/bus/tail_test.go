package bus_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

var errEnough = errors.New("enough")

// tail reads n outcomes after a position.
func tail(t *testing.T, b *bus.Bus, after uint64, n int) []bus.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got []bus.Delivery
	err := b.Tail(ctx, after, func(d bus.Delivery) error {
		if got = append(got, d); len(got) == n {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("the tail ended after %d of %d outcomes: %v", len(got), n, err)
	}
	return got
}

func TestTailResumesWithoutGapOrRepeat(t *testing.T) {
	w := open(t)
	const all = 30
	for i := range all / 2 {
		w.publish(t, completed(fmt.Sprintf("f%02d", i)))
	}
	var after uint64
	var items []string
	read := func(n int) {
		for _, d := range tail(t, w.bus, after, n) {
			items = append(items, d.Item)
			after = d.Sequence
		}
	}
	read(4)
	read(1)
	read(all/2 - 5)
	// What follows is published while a reader waits.
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		for i := all / 2; i < all; i++ {
			if err := w.bus.Publish(t.Context(), completed(fmt.Sprintf("f%02d", i))); err != nil {
				t.Error(err)
			}
		}
	}()
	read(all / 2)
	<-ready
	for i, item := range items {
		if want := fmt.Sprintf("f%02d", i); item != want {
			t.Fatalf("outcome %d is %s, want %s", i, item, want)
		}
	}
	if len(items) != all {
		t.Errorf("%d outcomes, want %d", len(items), all)
	}
	last, err := w.bus.LastOutcome(t.Context())
	if err != nil || last != after {
		t.Errorf("the newest is %d (%v), read up to %d", last, err, after)
	}
}

func TestTailEndsWithItsContext(t *testing.T) {
	w := open(t)
	w.publish(t, completed("f1"))
	ctx, cancel := context.WithCancel(t.Context())
	err := w.bus.Tail(ctx, 0, func(bus.Delivery) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTailOfAnUnbrokenRecordOnly(t *testing.T) {
	w := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if last, err := w.bus.LastOutcome(t.Context()); err != nil || last != 0 {
		t.Errorf("the newest of none is %d, %v", last, err)
	}
	for i := range 5 {
		w.publish(t, completed(fmt.Sprintf("f%d", i)))
	}
	s, err := w.js.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), jetstream.WithPurgeSequence(4)); err != nil { // keeps 4 and 5
		t.Fatal(err)
	}
	for after, gone := range map[uint64]bool{0: true, 2: true, 3: false, 4: false, 6: true, math.MaxUint64: true} {
		if gone {
			err := w.bus.Tail(ctx, after, func(bus.Delivery) error { return errEnough })
			if !errors.Is(err, bus.ErrGone) {
				t.Errorf("after %d: %v, want ErrGone", after, err)
			}
			continue
		}
		if got := tail(t, w.bus, after, 1); got[0].Sequence != after+1 {
			t.Errorf("after %d came %d", after, got[0].Sequence)
		}
	}
	if err := s.DeleteMsg(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	w.publish(t, completed("f5"))
	if err := s.DeleteMsg(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.bus.Tail(ctx, 5, func(bus.Delivery) error { return errEnough }); !errors.Is(err, bus.ErrGone) {
		t.Errorf("before a purge of everything: %v, want ErrGone", err)
	}
	w.publish(t, completed("f6"))
	if got := tail(t, w.bus, 6, 1); got[0].Item != "f6" {
		t.Errorf("after the purge came %s", got[0].Item)
	}
}

// An outcome that vanishes between the look at the stream and its delivery
// must not be passed over in silence.
func TestTailTellsOfOutcomesRemovedUnderWay(t *testing.T) {
	w := open(t)
	for i := range 3 {
		w.publish(t, completed(fmt.Sprintf("f%d", i)))
	}
	s, err := w.js.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got []uint64
	err = w.bus.Tail(ctx, 0, func(d bus.Delivery) error { got = append(got, d.Sequence); return nil })
	if !errors.Is(err, bus.ErrGone) || len(got) != 1 || got[0] != 1 {
		t.Errorf("got %v, then %v; want 1, then ErrGone", got, err)
	}
}

func TestWatchGetsTheHint(t *testing.T) {
	w := open(t)
	seen, stop, err := w.bus.Watch(t.Context(), event.OutcomesOf(event.AreaTextFile, "f1"))
	if err != nil {
		t.Fatal(err)
	}
	w.publish(t, completed("f2"), completed("f1"))
	next(t, seen, "hint")
	w.publish(t, event.NewAnalysisFailed(&event.AnalysisFailed{Area: event.AreaTextFile, Id: "f1"}))
	next(t, seen, "hint of a failure")
	stop()
	w.bus.Close()
	stop() // after the connection is gone it is no error either
}
