package consume_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
)

// TestDeletedConsumersAndStreamsAreRecreated checks that the consumer and all streams are recreated
// if they disappear while a process runs.
func TestDeletedConsumersAndStreamsAreRecreated(t *testing.T) {
	for name, remove := range map[string]func(context.Context, jetstream.JetStream) error{
		"consumer": func(ctx context.Context, js jetstream.JetStream) error {
			return js.DeleteConsumer(ctx, bustest.WorkStream, "worker-0")
		},
		"streams": func(ctx context.Context, js jetstream.JetStream) error {
			var failed []error
			// The consumed stream is deleted last: its loss makes the bus declare all streams again.
			for _, stream := range []string{bustest.Queue().Stream, bus.StreamOutcomes, bus.StreamDead, bustest.WorkStream} {
				failed = append(failed, js.DeleteStream(ctx, stream))
			}
			return errors.Join(failed...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, runner, recreated := counted(t)
			got := make(chan string, 4)
			c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
			c.Parallel = 3
			bustest.ConsumeWith(t, runner, c)
			w.Publish(t, bustest.Uploaded("f1"))
			if id := bustest.Next(t, got, "delivery"); id != "f1" {
				t.Fatalf("got %s, want f1", id)
			}
			w.AwaitCount(t, bustest.WorkStream, 0)
			if err := remove(t.Context(), w.JS); err != nil {
				t.Fatal(err)
			}
			// The time limit of a publish is longer than the wait for the
			// streams.
			w.Publish(t, bustest.Uploaded("f2"))
			if id := bustest.Next(t, got, "delivery after the deletion"); id != "f2" {
				t.Fatalf("got %s, want f2", id)
			}
			w.Publish(t, bustest.Completed("f2"))
			if n := recreated("missing"); n != 1 {
				t.Errorf("counted %v recreated consumers, want 1", n)
			}
		})
	}
}

// TestRecreatedConsumerOfOutcomesMissesNone checks that a consumer of a stream that retains its messages begins with the oldest one,
// and receives those published while it was missing after it is recreated. It may receive earlier ones again.
func TestRecreatedConsumerOfOutcomesMissesNone(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Completed("old"))
	got := make(chan string, 8)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
	c.Stream, c.Filter, c.Lease = bus.StreamOutcomes, event.OutcomeSubjects, time.Second
	bustest.Consume(t, w.Bus, c)
	if item := bustest.Next(t, got, "outcome published before the consumer"); item != "old" {
		t.Errorf("got outcome %s, want old", item)
	}
	bustest.Eventually(t, func() error { return w.JS.DeleteConsumer(t.Context(), c.Stream, c.Name) })
	w.Publish(t, bustest.Completed("meanwhile"))
	item := bustest.Next(t, got, "outcome published while there was no consumer")
	for item == "old" {
		item = bustest.Next(t, got, "outcome published while there was no consumer")
	}
	if item != "meanwhile" {
		t.Errorf("got outcome %s, want meanwhile", item)
	}
	w.Publish(t, bustest.Completed("new"))
	if item := bustest.Next(t, got, "outcome after that"); item != "new" {
		t.Errorf("got outcome %s, want new", item)
	}
}

// TestStalledConsumerIsDetected checks that a paused consumer, which has messages but delivers none,
// is counted as stalled.
func TestStalledConsumerIsDetected(t *testing.T) {
	w, runner, recreated := counted(t)
	got := make(chan string, 1)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
	c.Lease = 300 * time.Millisecond
	bustest.ConsumeWith(t, runner, c)
	bustest.Eventually(t, func() error {
		_, err := w.JS.PauseConsumer(t.Context(), bustest.WorkStream, c.Name+"-0", time.Now().Add(time.Hour))
		return err
	})
	w.Publish(t, bustest.Uploaded("f1"))
	bustest.Eventually(t, func() error {
		if recreated("stalled") == 0 {
			return errors.New("the paused consumer is not counted as stalled")
		}
		return nil
	})
	if _, err := w.JS.ResumeConsumer(t.Context(), bustest.WorkStream, c.Name+"-0"); err != nil {
		t.Fatal(err)
	}
	if id := bustest.Next(t, got, "delivery"); id != "f1" {
		t.Errorf("got %s, want f1", id)
	}
}

// TestBusyWorkersAreNotStalled checks that a consumer is not counted as stalled while its workers are busy for several
// leases and further messages wait.
func TestBusyWorkersAreNotStalled(t *testing.T) {
	w, runner, recreated := counted(t)
	c := bustest.Consumer(nil)
	c.Parallel, c.Lease = 1, 300*time.Millisecond
	c.Handle = func(context.Context, bus.Delivery) error {
		<-time.After(5 * c.Lease) // longer than it takes to detect a stall
		return nil
	}
	bustest.ConsumeWith(t, runner, c)
	w.Publish(t, bustest.Uploaded("f1"), bustest.Uploaded("f2"))
	w.AwaitCount(t, bustest.WorkStream, 0)
	if n := recreated("stalled"); n != 0 {
		t.Errorf("the consumer was counted as stalled %v times, want 0", n)
	}
}

// counted returns a World, a runner, and a function that returns the runner's count of recreated
// consumers by cause.
func counted(t *testing.T) (*bustest.World, *consume.Runner, func(cause string) float64) {
	t.Helper()
	w, reg := bustest.Open(t), prometheus.NewRegistry()
	return w, consume.New(w.Bus, zerolog.New(zerolog.NewTestWriter(t)), reg), func(cause string) float64 {
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					if family.GetName() == "assay_consumer_recreated_total" && label.GetName() == "cause" && label.GetValue() == cause {
						sum += metric.GetCounter().GetValue()
					}
				}
			}
		}
		return sum
	}
}
