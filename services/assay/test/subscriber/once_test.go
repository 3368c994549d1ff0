package subscriber_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/subscriber"
)

func TestRestartHandlesEachEventOnce(t *testing.T) {
	a := open(t)
	const events = 60
	for i := range events {
		a.publish(t, completed("textfile", fmt.Sprint(i)))
	}
	times := map[string]int{}
	for range 3 { // interrupted runs
		if len(times) == events {
			break // a fast subscriber had handled all events before it was stopped
		}
		seen := make(chan subscriber.Outcome, events)
		cfg := a.config()
		cfg.Parallel = 3
		stop := start(t, cfg, into(seen))
		for range events / 4 {
			times[next(t, seen, "outcome").Item]++
		}
		stop()
		for range len(seen) {
			times[(<-seen).Item]++
		}
	}
	seen := make(chan subscriber.Outcome, events)
	start(t, a.config(), into(seen))
	a.awaitIdle(t, "mailer")
	for range len(seen) {
		times[(<-seen).Item]++
	}
	for item, n := range times {
		if n != 1 {
			t.Errorf("%s was handled %d times, want once", item, n)
		}
	}
	if len(times) != events {
		t.Errorf("%d events were handled, want %d", len(times), events)
	}
}

// store stores an event in the stream again, as if it were published after the stream's deduplication
// window.
func (a *assay) store(t *testing.T, e event.Event) {
	t.Helper()
	data, err := e.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.js.PublishMsg(t.Context(), &nats.Msg{Subject: e.Subject, Header: e.Headers("/analyzer"), Data: data}); err != nil {
		t.Fatal(err)
	}
}

func TestEventStoredTwiceIsHandledOnce(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		t.Run(fmt.Sprintf("parallel %d", parallel), func(t *testing.T) {
			a := open(t)
			e := completed("textfile", "f1")
			for range 4 {
				a.store(t, e)
			}
			cfg := a.config()
			cfg.Parallel = parallel
			seen := make(chan subscriber.Outcome, 8)
			stop := start(t, cfg, into(seen))
			a.awaitIdle(t, cfg.Name)
			stop()
			a.store(t, e) // and once more after a restart
			start(t, cfg, into(seen))
			a.awaitIdle(t, cfg.Name)
			if len(seen) != 1 {
				t.Errorf("the event was handled %d times, want once", len(seen))
			}
		})
	}
}

func TestFailingHandlerEndsInADeadLetter(t *testing.T) {
	a := open(t)
	a.publish(t, completed("textfile", "bad"), completed("textfile", "flaky"), completed("textfile", "good"))
	calls := make(chan string, 64)
	cfg := a.config()
	cfg.Attempts = 3
	flaky := 0
	start(t, cfg, func(_ context.Context, o subscriber.Outcome) error {
		calls <- o.Item
		switch {
		case o.Item == "bad":
			return errors.New("the mail server rejected the message")
		case o.Item == "flaky" && flaky == 0:
			flaky++
			return errors.New("try again")
		}
		return nil
	})
	a.awaitIdle(t, cfg.Name)
	times := map[string]int{}
	for range len(calls) {
		times[<-calls]++
	}
	if times["bad"] != 3 || times["flaky"] != 2 || times["good"] != 1 {
		t.Errorf("got calls %v, want 3 for bad, 2 for flaky and 1 for good", times)
	}
	dead, err := a.js.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 1 {
		t.Fatalf("got %d dead letters, want 1", n)
	}
	deadLetter, err := dead.GetLastMsgForSubject(t.Context(), "assay.dead.mailer")
	if err != nil {
		t.Fatal(err)
	}
	if h := deadLetter.Header; h.Get("ce-subject") != "bad" || h.Get(event.DeadReason) != "the mail server rejected the message" || h.Get(event.DeadAttempts) != "3" {
		t.Errorf("got dead letter %v, want the one for bad with its error and 3 attempts", h)
	}
}

// TestCrashLosesNothing checks that an outcome is redelivered if a process crashes while it handles the
// outcome, before a marker is stored or the message is acknowledged.
func TestCrashLosesNothing(t *testing.T) {
	a := open(t)
	a.publish(t, completed("textfile", "f1"))
	cfg := a.config()
	cfg.Lease = 200 * time.Millisecond
	durable, err := a.js.CreateConsumer(t.Context(), bus.StreamOutcomes, jetstream.ConsumerConfig{
		Durable: cfg.Name, FilterSubject: event.OutcomesOf("*", "*"), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: cfg.Lease, MaxDeliver: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Next(); err != nil {
		t.Fatal(err)
	}
	seen := make(chan subscriber.Outcome, 1)
	start(t, cfg, into(seen))
	if o := next(t, seen, "outcome of the process that crashed"); o.Item != "f1" {
		t.Errorf("got %s, want f1", o.Item)
	}
}

// TestHandledOutcomeIsMarkedAfterTheDrain checks that a handled outcome gets a marker even if the
// subscriber is stopped while the handler runs, and the drain timeout expires.
func TestHandledOutcomeIsMarkedAfterTheDrain(t *testing.T) {
	a := open(t)
	a.publish(t, completed("textfile", "f1"))
	cfg := a.config()
	cfg.Drain = time.Millisecond
	seen, drained := make(chan subscriber.Outcome, 2), make(chan struct{})
	stop := start(t, cfg, func(ctx context.Context, o subscriber.Outcome) error {
		seen <- o
		<-ctx.Done()
		close(drained)
		return nil
	})
	next(t, seen, "outcome")
	stop()
	<-drained
	a.store(t, completed("textfile", "f1"))
	start(t, cfg, into(seen))
	a.awaitIdle(t, cfg.Name)
	if len(seen) != 0 {
		t.Errorf("after the restart: got %d outcomes, want none", len(seen))
	}
}

func TestUnknownKindsAreSkippedAndInvalidMessagesAreDeadLetters(t *testing.T) {
	a := open(t)
	for _, msg := range []*nats.Msg{
		{Subject: "assay.analysis.paused.textfile.f1", Header: nats.Header{"ce-id": {"1"}, "ce-type": {"assay.v1.AnalysisPaused"}}, Data: []byte("{}")},
		{Subject: "assay.analysis.completed.textfile.f2", Header: nats.Header{"ce-id": {"2"}, "ce-type": {"assay.v1.AnalysisCompleted"}}, Data: []byte("[")},
		{Subject: "assay.analysis.completed.textfile.f3", Data: []byte("{}")},
	} {
		if _, err := a.js.PublishMsg(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(chan subscriber.Outcome, 3)
	start(t, a.config(), into(seen))
	a.awaitIdle(t, "mailer")
	if len(seen) != 0 {
		t.Errorf("the handler received %+v, want nothing", <-seen)
	}
	dead, err := a.js.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 2 {
		t.Errorf("got %d dead letters, want the 2 invalid messages", n)
	}
}
