package consume_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/outage"
)

// TestDescribedDeadLetter checks that a consumer determines the reason, the class and the attempts of its dead letters.
func TestDescribedDeadLetter(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	broken := errors.New("wasm error")
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(broken) })
	c.GiveUp = func(_ context.Context, d bus.Delivery, err error) (bus.Failure, error) {
		if d.Attempt != 1 || !errors.Is(err, broken) {
			t.Errorf("got attempt %d, error %v, want 1, %v", d.Attempt, err, broken)
		}
		return bus.Failure{Reason: "the photo cannot be read", Class: event.DeadMissing, Attempts: 3}, nil
	}
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	dead := w.Dead(t)
	if len(dead) != 1 {
		t.Fatalf("got %d dead letters, want 1", len(dead))
	}
	for name, want := range map[string]string{event.DeadReason: "the photo cannot be read", event.DeadClassHeader: "missing", event.DeadAttempts: "3"} {
		if got := dead[0].Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestRejectedContentHasNoDeadLetter checks that a message is acknowledged after its item has failed because of its content,
// without a dead letter, and that the attempt is counted as rejected.
func TestRejectedContentHasNoDeadLetter(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(errors.New("not a text")) })
	failed := make(chan string, 1)
	c.GiveUp = func(_ context.Context, d bus.Delivery, _ error) (bus.Failure, error) {
		failed <- d.Item
		return bus.Failure{Rejected: true}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	reg, ended := prometheus.NewRegistry(), make(chan error, 1)
	go func() { ended <- consume.New(w.Bus, zerolog.Nop(), reg).Run(ctx, c) }()
	w.AwaitCount(t, bustest.WorkStream, 0)
	cancel()
	if err := bustest.Next(t, ended, "end of the consumer"); err != nil {
		t.Fatal(err)
	}
	if item := bustest.Next(t, failed, "giving up"); item != "f1" {
		t.Errorf("gave up on %s, want f1", item)
	}
	if n := w.Count(t, bus.StreamDead); n != 0 {
		t.Errorf("got %d dead letters, want 0", n)
	}
	const name = "assay_attempt_duration_seconds"
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]uint64{}
	for _, family := range families {
		for _, m := range family.Metric {
			for _, label := range m.Label {
				if family.GetName() == name && label.GetName() == "outcome" {
					counted[label.GetValue()] = m.Histogram.GetSampleCount()
				}
			}
		}
	}
	if counted["rejected"] != 1 || counted["given_up"] != 0 {
		t.Errorf("got the attempts %v, want 1 rejected and none given up", counted)
	}
	if problems, err := testutil.GatherAndLint(reg, name); err != nil || len(problems) > 0 {
		t.Errorf("got problems %v, error %v, want none", problems, err)
	}
}

// TestClasses checks the class of the dead letter for each kind of error.
func TestClasses(t *testing.T) {
	for name, test := range map[string]struct {
		handle func() error
		want   event.DeadClass
	}{
		"panic":   {func() error { panic("index out of range") }, event.DeadCrashed},
		"time":    {func() error { return errLate }, event.DeadTimeout},
		"outage":  {func() error { return fmt.Errorf("open: %w", &outage.Error{Backend: outage.S3, Err: errFlaky}) }, event.DeadUnavailable},
		"network": {func() error { return &net.OpError{Op: "dial", Err: errFlaky} }, event.DeadUnavailable},
		"event":   {func() error { return bus.Permanent(event.Unmarshal([]byte("{"), &event.FileUploaded{})) }, event.DeadEvent},
		"other":   {func() error { return errFlaky }, event.DeadOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := bustest.Open(t)
			w.Publish(t, bustest.Uploaded("f1"))
			c := bustest.Consumer(func(ctx context.Context, _ bus.Delivery) error {
				err := test.handle()
				if errors.Is(err, errLate) {
					<-ctx.Done()
				}
				return err
			})
			c.Attempts = 1
			c.Bounds = func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: 200 * time.Millisecond} }
			bustest.Consume(t, w.Bus, c)
			w.AwaitCount(t, bustest.WorkStream, 0)
			found := 0
			for letter, err := range w.Bus.DeadLetters(t.Context(), bus.DeadFilter{Class: test.want}) {
				if err != nil {
					t.Fatal(err)
				}
				if found++; letter.Class != test.want || letter.Item != "f1" {
					t.Errorf("got class %q of %s, want %q of f1", letter.Class, letter.Item, test.want)
				}
			}
			if found != 1 {
				t.Errorf("got %d dead letters of class %s, want 1", found, test.want)
			}
		})
	}
}

var errLate = errors.New("still running")
