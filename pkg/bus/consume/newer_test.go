package consume_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// version2 is a work event of version 2.
func version2(id string) event.Event {
	e := bustest.Uploaded(id)
	e.Version = 2
	return e
}

// newerBus connects a process that supports version 2.
func newerBus(t *testing.T, w *bustest.World) *bus.Bus {
	t.Helper()
	return bustest.Connect(t, w.URL, bus.Config{Work: []bus.Work{{Stream: bustest.WorkStream, Subjects: "assay.file.uploaded.>", Version: 2}}})
}

// TestNewerVersionIsLeft checks that a process leaves a message of a newer version in the stream, without calling its
// handler, without an attempt and without a dead letter, while it processes other messages; and that a newer process then
// processes the message as its first attempt.
func TestNewerVersionIsLeft(t *testing.T) {
	w := bustest.Open(t)
	handled := make(chan bus.Delivery, 4)
	older := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { handled <- d; return nil })
	older.Attempts = 2
	stop := bustest.Consume(t, w.Bus, older)
	w.Publish(t, version2("newer"), bustest.Uploaded("old"))
	if d := bustest.Next(t, handled, "delivery"); d.Item != "old" || d.Version != 0 {
		t.Errorf("the older process handled %s of version %d, want old of version 0", d.Item, d.Version)
	}
	// More deliveries than the consumer has attempts.
	redelivered(t, w, 3)
	if left := w.Count(t, bustest.WorkStream); left != 1 {
		t.Errorf("the stream contains %d messages, want the newer one", left)
	}
	if records := attemptsOf(t, w, "newer"); len(records) != 1 || records[0].Begun != 0 || len(records[0].Attempts) != 1 || records[0].Attempts[0].Outcome != "left" {
		t.Errorf("the log of attempts contains %+v, want one record without attempts that says left", records)
	}
	stop()

	newer := newerBus(t, w)
	bustest.Consume(t, newer, older)
	if d := bustest.Next(t, handled, "delivery"); d.Item != "newer" || d.Version != 2 || d.Attempt != 1 {
		t.Errorf("the newer process handled %s of version %d in attempt %d, want newer, 2 and 1", d.Item, d.Version, d.Attempt)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want none", n)
	}
}

// TestNewerProcessAmongOlderOnes checks that one newer process among three takes messages that were left for a while, soon
// after it starts, and that the older processes do not receive them more often than each second.
//
// The newer process has as many workers as the two others together. If each redelivery goes to a random worker, a message
// with pauses of 1 s is still left after 20 s with a probability of 2^-20.
func TestNewerProcessAmongOlderOnes(t *testing.T) {
	const messages, rounds = 6, 5
	w := bustest.Open(t)
	handled := make(chan string, messages)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { handled <- d.Item; return nil })
	began := time.Now()
	bustest.Consume(t, w.Bus, c)
	bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), c)
	for n := range messages {
		e := bustest.UploadedBy(fmt.Sprintf("owner%d", n), fmt.Sprintf("f%d", n)) // with the highest priority
		e.Version = 2
		w.Publish(t, e)
	}
	redelivered(t, w, messages*rounds)
	if took := time.Since(began); took < (rounds-1)*time.Second {
		t.Errorf("%d redeliveries of each message took %s, want at least 1s each", rounds, took)
	}

	c.Parallel = 2
	bustest.Consume(t, newerBus(t, w), c)
	for range messages {
		bustest.Next(t, handled, "a message of the newer version")
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestUnsupportedStepIsLeft checks that a message is left if its handler returns event.ErrNewer, for example for an unknown
// step or type, even if it calls the error permanent. Attempts that failed before still count.
func TestUnsupportedStepIsLeft(t *testing.T) {
	w := bustest.Open(t)
	attempts := make(chan int, 8)
	var calls atomic.Int64
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		attempts <- d.Attempt
		switch calls.Add(1) {
		case 1:
			return errFlaky
		case 2, 3:
			return bus.Permanent(fmt.Errorf("%w: step fold", event.ErrNewer))
		}
		return nil
	})
	c.Attempts = 2
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, bustest.Uploaded("f1"))
	for i, want := range []int{1, 2, 2, 2} {
		if got := bustest.Next(t, attempts, "attempt"); got != want {
			t.Errorf("delivery %d: got attempt %d, want %d", i+1, got, want)
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want none", n)
	}
}

// TestOtherTypeIsLeft checks that an event of an unknown type of Assay is left, and that a message of a foreign type becomes
// a dead letter.
func TestOtherTypeIsLeft(t *testing.T) {
	w := bustest.Open(t)
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if err := d.Unmarshal(d.Data, &event.FileUploaded{}); err != nil {
			return bus.Permanent(err)
		}
		return nil
	}))
	other := bustest.Uploaded("newer")
	other.Data = &event.PhotoUploaded{}
	w.Publish(t, other)
	redelivered(t, w, 1)
	foreign := &nats.Msg{Subject: "assay-work.0.t.file.uploaded.foreign", Header: bustest.Uploaded("foreign").Headers("/test"), Data: []byte("{}")}
	foreign.Header["ce-type"] = []string{"com.example.Uploaded"}
	if _, err := w.JS.PublishMsg(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	w.AwaitCount(t, bus.StreamDead, 1)     // of the foreign message,
	w.AwaitCount(t, bustest.WorkStream, 1) // which is acknowledged after that
	redelivered(t, w, 3)                   // the newer one is still there
	if n := w.Count(t, bus.StreamDead); n != 1 {
		t.Errorf("got %d dead letters, want that of the foreign message", n)
	}
}

// redelivered waits until the messages of the consumer "worker" were redelivered n times.
func redelivered(t *testing.T, w *bustest.World, n uint64) {
	t.Helper()
	bustest.Eventually(t, func() error {
		info, err := w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
		if err != nil {
			return err
		}
		if state := info.CachedInfo(); state.Delivered.Consumer < state.Delivered.Stream+n {
			return fmt.Errorf("%d deliveries of %d messages, want %d redeliveries", state.Delivered.Consumer, state.Delivered.Stream, n)
		}
		return nil
	})
}

// attemptsOf reads the records of the attempts at an item.
func attemptsOf(t *testing.T, w *bustest.World, item string) []bus.MessageAttempts {
	t.Helper()
	records, err := w.Bus.Attempts(t.Context(), item)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestLeavingEnds checks that a consumer gives up on a message that no newer process has taken within the limit: the item
// fails, and the dead letter has the message with its version, so that a newer version can replay it.
func TestLeavingEnds(t *testing.T) {
	w := bustest.Open(t)
	failed := make(chan error, 1)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error {
		t.Error("the handler was called with a message of a newer version")
		return nil
	})
	c.Leave = 2500 * time.Millisecond // two pauses
	c.GiveUp = func(_ context.Context, _ bus.Delivery, err error) (bus.Failure, error) {
		failed <- err
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, version2("f1"))
	if err := bustest.Next(t, failed, "failure"); !errors.Is(err, event.ErrNewer) {
		t.Errorf("got error %v, want ErrNewer", err)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	dead := w.Dead(t)
	if len(dead) != 1 || dead[0].Header.Get(event.HeaderVersion) != "2" || dead[0].Header.Get(event.DeadClassHeader) != string(event.DeadConfiguration) {
		t.Errorf("got dead letters %v, want one of version 2 and class configuration", dead)
	}
}
