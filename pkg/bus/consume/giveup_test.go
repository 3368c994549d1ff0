package consume_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

func TestPermanentErrorIsGivenUpImmediately(t *testing.T) {
	w := bustest.Open(t)
	e := bustest.Uploaded("f1")
	w.Publish(t, e)
	gaveUp := make(chan error, 1)
	reason := errors.New("it is a PDF\nnot a text")
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return fmt.Errorf("analyze: %w", bus.Permanent(reason)) })
	c.GiveUp = func(_ context.Context, d bus.Delivery, err error) (bus.Failure, error) {
		if d.Item != "f1" || d.Attempt != 1 {
			t.Errorf("got item %s at attempt %d, want f1 at 1", d.Item, d.Attempt)
		}
		gaveUp <- err
		return bus.Failure{At: bustest.When().Add(time.Hour)}, nil // the clock of GiveUp is ahead
	}
	bustest.Consume(t, w.Bus, c)
	if err := bustest.Next(t, gaveUp, "giving up"); !errors.Is(err, reason) || !bus.IsPermanent(err) {
		t.Errorf("got reason %v, want the permanent error %v", err, reason)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)

	deadLetters := w.Dead(t)
	if len(deadLetters) != 1 {
		t.Fatalf("got %d dead letters, want 1", len(deadLetters))
	}
	deadLetter := deadLetters[0]
	payload, err := e.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(deadLetter.Data, payload) {
		t.Errorf("got payload %s, want %s", deadLetter.Data, payload)
	}
	for name, want := range map[string]string{
		event.DeadReason: "analyze: it is a PDF not a text", event.DeadAttempts: "1",
		event.DeadSubject: "assay.file.uploaded.f1", event.DeadConsumer: "worker",
		"ce-id": e.ID, "ce-type": "assay.v1.FileUploaded", "ce-subject": "f1",
	} {
		if got := deadLetter.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	first, err := time.Parse(time.RFC3339Nano, deadLetter.Header.Get(event.DeadFirst))
	if err != nil {
		t.Error(err)
	}
	last, err := time.Parse(time.RFC3339Nano, deadLetter.Header.Get(event.DeadLast))
	if err != nil {
		t.Error(err)
	}
	if now := time.Now(); first.After(now) || now.Sub(first) > time.Minute || !last.Equal(bustest.When().Add(time.Hour)) {
		t.Errorf("got first %s and last %s, now %s; want last to be the result of GiveUp", first, last, now)
	}
}

func TestAttemptsEndInADeadLetter(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	calls := make(chan int, 8)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		calls <- d.Attempt
		return errFlaky
	})
	c.Attempts = 3
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	if len(calls) != 3 {
		t.Errorf("got %d attempts, want 3", len(calls))
	}
	deadLetters := w.Dead(t)
	if len(deadLetters) != 1 {
		t.Fatalf("got %d dead letters, want 1", len(deadLetters))
	}
	if h := deadLetters[0].Header; h.Get(event.DeadReason) != errFlaky.Error() || h.Get(event.DeadAttempts) != "3" {
		t.Errorf("got reason %q after %q attempts, want %q after 3", h.Get(event.DeadReason), h.Get(event.DeadAttempts), errFlaky)
	}
}

func TestMessageRemainsWhileGivingUpFails(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	tries := make(chan int)
	kept := make(chan error)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(errors.New("not a text")) })
	c.GiveUp = func(ctx context.Context, d bus.Delivery, _ error) (bus.Failure, error) {
		select {
		case tries <- d.Attempt:
			return bus.Failure{}, <-kept
		case <-ctx.Done():
			return bus.Failure{}, ctx.Err()
		}
	}
	bustest.Consume(t, w.Bus, c)
	for attempt := 1; attempt <= 3; attempt++ {
		if got := bustest.Next(t, tries, "try to give up"); got != attempt {
			t.Errorf("got attempt %d, want %d", got, attempt)
		}
		if work, dead := w.Count(t, bustest.WorkStream), w.Count(t, bus.StreamDead); work != 1 || dead != 0 {
			t.Errorf("got %d messages and %d dead letters, want 1 and 0", work, dead)
		}
		if attempt < 3 {
			kept <- errors.New("the table is unavailable")
		}
	}
	kept <- nil
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := len(w.Dead(t)); n != 1 {
		t.Errorf("got %d dead letters, want 1", n)
	}
}

// TestDeadLetterIsStoredBeforeTheAcknowledgement checks that the message is not acknowledged
// until the dead letter is stored.
func TestDeadLetterIsStoredBeforeTheAcknowledgement(t *testing.T) {
	w := bustest.Open(t)
	if _, err := w.JS.UpdateStream(t.Context(), jetstream.StreamConfig{
		Name: bus.StreamDead, Subjects: []string{event.DeadSubjects}, Discard: jetstream.DiscardNew,
		MaxMsgs: 1, Duplicates: time.Minute,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.JS.Publish(t.Context(), "assay.dead.other", nil); err != nil {
		t.Fatal(err)
	}
	w.Publish(t, bustest.Uploaded("f1"))
	tries := make(chan struct{}, 64)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(errors.New("not a text")) })
	c.GiveUp = func(context.Context, bus.Delivery, error) (bus.Failure, error) {
		tries <- struct{}{}
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	bustest.Next(t, tries, "first try")
	bustest.Next(t, tries, "second try, after the dead letter could not be stored")
	if n := w.Count(t, bustest.WorkStream); n != 1 {
		t.Fatalf("got %d messages, want only the one whose dead letter is not stored", n)
	}
	s, err := w.JS.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := len(w.Dead(t)); n != 1 {
		t.Errorf("got %d dead letters, want 1", n)
	}
}

func TestPanicIsAFailedAttempt(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("bad"), bustest.Uploaded("good"))
	done := make(chan string, 2)
	reasons := make(chan error, 1)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Item == "bad" {
			panic("index out of range")
		}
		done <- d.Item
		return nil
	})
	c.Attempts = 12
	c.GiveUp = func(_ context.Context, d bus.Delivery, err error) (bus.Failure, error) {
		reasons <- err
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	if item := bustest.Next(t, done, "other item"); item != "good" {
		t.Errorf("got %s, want good", item)
	}
	var panicked *attempt.PanicError
	err := bustest.Next(t, reasons, "giving up")
	if !errors.As(err, &panicked) {
		t.Fatalf("got reason %v, want a PanicError", err)
	}
	if panicked.Value != "index out of range" || !bytes.Contains(panicked.Stack, []byte("giveup_test.go")) {
		t.Errorf("got panic %v, want index out of range in giveup_test.go; stack:\n%s", panicked.Value, panicked.Stack)
	}
	if strings.Contains(err.Error(), "goroutine") {
		t.Errorf("the reason is shown to users and must not contain a stack: %v", err)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if deadLetters := w.Dead(t); len(deadLetters) != 1 || deadLetters[0].Header.Get(event.DeadAttempts) != "3" {
		t.Errorf("got dead letters %v, want one after 3 attempts", deadLetters)
	}
}

func TestPanicInGiveUpIsRetried(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(errors.New("not a text")) })
	c.GiveUp = func(_ context.Context, d bus.Delivery, _ error) (bus.Failure, error) {
		if d.Attempt == 1 {
			panic("nil map")
		}
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	deadLetters := w.Dead(t)
	if len(deadLetters) != 1 || deadLetters[0].Header.Get(event.DeadAttempts) != "2" {
		t.Errorf("got %v, want one dead letter after 2 attempts", deadLetters)
	}
}

// TestDeliveriesAreCountedBeforeTheWork checks that a delivery counts as an attempt even if the
// worker crashes and does not settle the message, so that an input that crashes processes runs
// out of attempts.
func TestDeliveriesAreCountedBeforeTheWork(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("killer"))
	const lease = 300 * time.Millisecond
	durable, err := w.JS.CreateConsumer(t.Context(), bustest.WorkStream, jetstream.ConsumerConfig{
		Durable: "worker-0", FilterSubject: "assay-work.0.*.file.uploaded.*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: lease, MaxDeliver: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Next(); err != nil {
		t.Fatal(err)
	}
	reasons := make(chan error, 1)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error {
		t.Error("the handler was called after the attempts had run out")
		return nil
	})
	c.Lease, c.Attempts = lease, 1
	c.GiveUp = func(_ context.Context, d bus.Delivery, err error) (bus.Failure, error) {
		reasons <- err
		return bus.Failure{}, nil
	}
	bustest.Consume(t, w.Bus, c)
	if err := bustest.Next(t, reasons, "giving up"); !bus.IsPermanent(err) {
		t.Errorf("got reason %v, want a permanent error", err)
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := len(w.Dead(t)); n != 1 {
		t.Errorf("got %d dead letters, want 1", n)
	}
}

// TestDeadLetterOmitsServerHeaders checks that headers of a message that instruct the server do
// not apply to its dead letter.
func TestDeadLetterOmitsServerHeaders(t *testing.T) {
	w := bustest.Open(t)
	_, err := w.JS.PublishMsg(t.Context(), &nats.Msg{
		Subject: "assay-work.0.ann.file.uploaded.f1", Data: []byte("{"),
		Header: nats.Header{"Nats-Expected-Stream": {bustest.WorkStream}, "ce-id": {"x"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		return bus.Permanent(event.Unmarshal(d.Data, &event.FileUploaded{}))
	}))
	w.AwaitCount(t, bustest.WorkStream, 0)
	if deadLetters := w.Dead(t); len(deadLetters) != 1 || deadLetters[0].Header.Get("ce-id") != "x" {
		t.Errorf("got %v, want one dead letter with the id x", deadLetters)
	}
}

func TestUnreadableHeadersAreGivenUp(t *testing.T) {
	w := bustest.Open(t)
	_, err := w.JS.PublishMsg(t.Context(), &nats.Msg{
		Subject: "assay-work.0.ann.file.uploaded.f1", Header: nats.Header{"ce-time": {"yesterday"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error {
		t.Error("the handler received a message that is not an event")
		return nil
	}))
	w.AwaitCount(t, bustest.WorkStream, 0)
	deadLetters := w.Dead(t)
	if len(deadLetters) != 1 || !strings.Contains(deadLetters[0].Header.Get(event.DeadReason), "ce-time") {
		t.Errorf("got %v, want one dead letter whose reason names ce-time", deadLetters)
	}
}
