package consume_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestAttemptsAreLogged checks the record of a message that fails, is delayed, and is completed: the times, the outcomes and
// the reasons. A message that is completed at once has no record.
func TestAttemptsAreLogged(t *testing.T) {
	w := bustest.Open(t)
	calls := 0
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Item != "flaky" {
			return nil
		}
		switch calls++; calls {
		case 1:
			return errFlaky
		case 2:
			return bus.Later(errors.New("the provider is unavailable"), time.Millisecond)
		case 3:
			return bus.Later(errors.New("the provider is still unavailable"), time.Millisecond)
		}
		return nil
	})
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, bustest.Uploaded("first"))
	w.AwaitCount(t, bustest.WorkStream, 0) // messages that were stored before the consumer has begun are suspects
	began := time.Now()
	w.Publish(t, bustest.Uploaded("good"), bustest.Uploaded("flaky"))
	w.AwaitCount(t, bustest.WorkStream, 0)
	var record bus.MessageAttempts
	bustest.Eventually(t, func() error { // the end is logged after the acknowledgement
		all, err := w.Bus.Attempts(t.Context(), "flaky")
		if err != nil || len(all) != 1 || len(all[0].Attempts) != 2 || all[0].Attempts[1].Ended.IsZero() {
			return fmt.Errorf("got records %+v, %w, want one with two attempts that have ended", all, err)
		}
		record = all[0]
		return nil
	})
	if record.Consumer != c.Name || record.Sequence != 3 || record.Begun != 2 || record.Unended != 0 {
		t.Errorf("got %+v, want 2 attempts of %s at message 3", record, c.Name)
	}
	outcomes := []string{}
	for i, a := range record.Attempts {
		outcomes = append(outcomes, a.Outcome)
		if a.Number != i+1 || a.Began.Before(began) || a.Ended.Before(a.Began) || a.Worker == "" {
			t.Errorf("attempt %d is %+v, want the number, a worker, and times after %s", i+1, a, began)
		}
	}
	if want := []string{"retry", "done"}; !slices.Equal(outcomes, want) || record.Attempts[0].Reason != errFlaky.Error() {
		t.Errorf("got outcomes %q and the first reason %q, want %q and %q", outcomes, record.Attempts[0].Reason, want, errFlaky)
	}
	if all, err := w.Bus.Attempts(t.Context(), "good"); err != nil || len(all) != 0 {
		t.Errorf("the records of a message that was completed at once are %+v, %v, want none", all, err)
	}
}

// TestDelayedDeliveryIsLogged checks that the log contains why a delivery is delayed, once for several delays.
func TestDelayedDeliveryIsLogged(t *testing.T) {
	w := bustest.Open(t)
	calls := make(chan int, 8)
	n := 0
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error {
		n++
		calls <- n
		if n < 3 {
			return bus.Later(fmt.Errorf("unavailable %d", n), time.Millisecond)
		}
		return bus.Later(errors.New("held"), time.Hour)
	}))
	w.Publish(t, bustest.Uploaded("f1"))
	for range 3 {
		bustest.Next(t, calls, "delivery")
	}
	bustest.Eventually(t, func() error {
		all, err := w.Bus.Attempts(t.Context(), "f1")
		if err != nil || len(all) != 1 || all[0].Begun != 0 || len(all[0].Attempts) != 1 || all[0].Attempts[0].Outcome != "delayed" || all[0].Attempts[0].Reason != "held" {
			return fmt.Errorf("got %+v, %w, want one record without an attempt and the last delay", all, err)
		}
		return nil
	})
}

// TestRecordOfAnEarlierVersionCounts checks that a record without the item in its subject, and without attempts, is continued.
func TestRecordOfAnEarlierVersionCounts(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	stream, err := w.Bus.JS.Stream(t.Context(), bustest.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.Msg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan int, 1)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { seen <- d.Attempt; return nil })
	old, err := json.Marshal(map[string]any{"stored": msg.Time, "begun": 2, "unended": 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.JS.Publish(t.Context(), "assay-attempt."+c.Name+".1", old); err != nil {
		t.Fatal(err)
	}
	bustest.Consume(t, w.Bus, c)
	if got := bustest.Next(t, seen, "attempt"); got != 3 {
		t.Errorf("got attempt %d, want 3", got)
	}
	bustest.Eventually(t, func() error {
		all, err := w.Bus.Attempts(t.Context(), "f1")
		if err != nil || len(all) != 1 || all[0].Begun != 3 || len(all[0].Attempts) != 1 || all[0].Attempts[0].Number != 3 {
			return fmt.Errorf("got %+v, %w, want a record with attempt 3", all, err)
		}
		return nil
	})
}

// TestLogOfAttemptsIsBounded checks that the log of a message contains its newest attempts.
func TestLogOfAttemptsIsBounded(t *testing.T) {
	w := bustest.Open(t)
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return errFlaky })
	c.Attempts, c.Backoff = bus.MaxAttempts+3, func(int) time.Duration { return time.Millisecond }
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, bustest.Uploaded("f1"))
	w.AwaitCount(t, bustest.WorkStream, 0)
	bustest.Eventually(t, func() error {
		all, err := w.Bus.Attempts(t.Context(), "f1")
		if err != nil || len(all) != 1 || len(all[0].Attempts) != bus.MaxAttempts {
			return fmt.Errorf("got %+v, %w, want a record with %d attempts", all, err, bus.MaxAttempts)
		}
		first, last := all[0].Attempts[0], all[0].Attempts[bus.MaxAttempts-1]
		if first.Number != 4 || last.Number != c.Attempts || last.Outcome != "given_up" {
			return fmt.Errorf("got attempts %+v to %+v, want 4 to %d, which gives up", first, last, c.Attempts)
		}
		return nil
	})
}

// TestLongFirstAttemptIsLogged checks that a first attempt that takes long is logged while it runs, and its end.
func TestLongFirstAttemptIsLogged(t *testing.T) {
	w := bustest.Open(t)
	finish := make(chan struct{})
	bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { <-finish; return nil }))
	w.Publish(t, bustest.Uploaded("f1"))
	logged := func(ended bool) func() error {
		return func() error {
			all, err := w.Bus.Attempts(t.Context(), "f1")
			if err != nil || len(all) != 1 || all[0].Begun != 1 || len(all[0].Attempts) != 1 || all[0].Attempts[0].Ended.IsZero() == ended {
				return fmt.Errorf("got %+v, %w, want one attempt; ended: %v", all, err, ended)
			}
			return nil
		}
	}
	bustest.Eventually(t, logged(false))
	close(finish)
	bustest.Eventually(t, logged(true))
}
