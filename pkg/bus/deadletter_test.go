package bus_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// stored stores dead letters for f1 to f3 by the consumer worker and for f4 by the consumer other,
// each with a different reason.
func stored(t *testing.T, w *bustest.World) {
	t.Helper()
	for _, name := range []string{"worker", "other"} {
		ids := []string{"f1", "f2", "f3"}
		if name == "other" {
			ids = []string{"f4"}
		}
		for _, id := range ids {
			w.Publish(t, bustest.Uploaded(id))
		}
		c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
			return bus.Permanent(errors.New("cannot read " + strings.ToUpper(d.Item)))
		})
		c.Name = name
		stop := bustest.Consume(t, w.Bus, c)
		w.AwaitCount(t, bustest.WorkStream, 0)
		stop()
		work, err := w.JS.Stream(t.Context(), bustest.WorkStream)
		if err != nil {
			t.Fatal(err)
		}
		for durable := range work.ConsumerNames(t.Context()).Name() {
			if err := work.DeleteConsumer(t.Context(), durable); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func collect(t *testing.T, w *bustest.World, f bus.DeadFilter) []bus.DeadLetter {
	t.Helper()
	var all []bus.DeadLetter
	for deadLetter, err := range w.Bus.DeadLetters(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, deadLetter)
	}
	return all
}

func TestDeadLettersAreFiltered(t *testing.T) {
	w := bustest.Open(t)
	stored(t, w)
	all := collect(t, w, bus.DeadFilter{})
	if len(all) != 4 {
		t.Fatalf("got %d dead letters, want 4", len(all))
	}
	for name, c := range map[string]struct {
		filter bus.DeadFilter
		want   []string
	}{
		"all":      {bus.DeadFilter{}, []string{"f1", "f2", "f3", "f4"}},
		"consumer": {bus.DeadFilter{Consumer: "other"}, []string{"f4"}},
		"reason":   {bus.DeadFilter{Reason: "READ f2"}, []string{"f2"}},
		"after":    {bus.DeadFilter{After: all[1].Sequence}, []string{"f3", "f4"}},
		"from":     {bus.DeadFilter{From: all[2].Last}, []string{"f3", "f4"}},
		"to":       {bus.DeadFilter{To: all[2].Last}, []string{"f1", "f2"}},
		"none":     {bus.DeadFilter{Consumer: "work"}, nil},
	} {
		var got []string
		for _, deadLetter := range collect(t, w, c.filter) {
			got = append(got, deadLetter.Item)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestDeadLetterIsReplayedUnchanged(t *testing.T) {
	w := bustest.Open(t)
	stored(t, w)
	deadLetter := collect(t, w, bus.DeadFilter{Consumer: "other"})[0]
	if deadLetter.Consumer != "other" || deadLetter.Subject != "assay.file.uploaded.f4" || deadLetter.Reason != "cannot read F4" || deadLetter.Attempts != 1 ||
		deadLetter.Last.Before(deadLetter.First) || deadLetter.First.IsZero() {
		t.Errorf("got dead letter %+v, want the one of f4 after 1 attempt", deadLetter)
	}
	e := bustest.Uploaded("f4")
	payload, err := e.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	listen, err := w.NATS.SubscribeSync(e.Subject)
	if err == nil {
		err = w.NATS.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second changes nothing
		if err := w.Bus.Replay(t.Context(), deadLetter); err != nil {
			t.Fatal(err)
		}
	}
	public, err := listen.NextMsg(bustest.Patience)
	if err != nil {
		t.Fatal(err)
	}
	for name := range public.Header {
		if strings.HasPrefix(name, "assay-dead-") {
			t.Errorf("the replayed message has the header %s of a dead letter", name)
		}
	}
	got := make(chan bus.Delivery, 2)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { got <- d; return nil }))
	d := bustest.Next(t, got, "replayed message")
	if d.ID != e.ID || d.Item != "f4" || d.Subject != e.Subject || !bytes.Equal(d.Data, payload) {
		t.Errorf("got replayed message %+v, want the original event", d)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if len(got) != 0 {
		t.Error("the replayed message was delivered twice")
	}
}

func TestDroppedDeadLetterIsGone(t *testing.T) {
	w := bustest.Open(t)
	stored(t, w)
	sequence := collect(t, w, bus.DeadFilter{})[1].Sequence
	if err := w.Bus.DropDead(t.Context(), sequence); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Bus.DeadLetter(t.Context(), sequence); !errors.Is(err, bus.ErrNoDeadLetter) {
		t.Errorf("reading the dropped dead letter: got error %v, want ErrNoDeadLetter", err)
	}
	if err := w.Bus.DropDead(t.Context(), sequence); !errors.Is(err, bus.ErrNoDeadLetter) {
		t.Errorf("dropping it again: got error %v, want ErrNoDeadLetter", err)
	}
	if left := collect(t, w, bus.DeadFilter{}); len(left) != 3 {
		t.Errorf("%d dead letters remain, want 3", len(left))
	}
}

// TestReplayIsTheOriginOfItsDeadLetter checks that the dead letter of a replayed message states the earlier one, and that
// an event published while the message is processed does so too.
func TestReplayIsTheOriginOfItsDeadLetter(t *testing.T) {
	w := bustest.Open(t)
	stored(t, w)
	first := collect(t, w, bus.DeadFilter{Consumer: "other"})[0]
	if first.ReplayOf != 0 {
		t.Errorf("got %d as the origin of the first dead letter, want none", first.ReplayOf)
	}
	if err := w.Bus.Replay(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "f4" {
			if err := w.Bus.Publish(ctx, bustest.Uploaded("f5")); err != nil {
				return err
			}
		}
		return bus.Permanent(errors.New("again"))
	})
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bus.StreamDead, 6)
	for _, second := range collect(t, w, bus.DeadFilter{Reason: "again"}) {
		if second.ReplayOf != first.Sequence {
			t.Errorf("got %d as the origin of the dead letter of %s, want %d", second.ReplayOf, second.Item, first.Sequence)
		}
	}
}
