package bus_test

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
	"github.com/assay-project/assay/pkg/event"
)

// Both the consumer and all streams may vanish under a running process.
func TestWhatVanishesIsRecreated(t *testing.T) {
	for name, remove := range map[string]func(context.Context, jetstream.JetStream) error{
		"consumer": func(ctx context.Context, js jetstream.JetStream) error {
			return js.DeleteConsumer(ctx, workStream, "worker-0")
		},
		"streams": func(ctx context.Context, js jetstream.JetStream) error {
			var failed []error
			// The consumed stream goes last: its loss is what makes all be declared anew.
			for _, stream := range []string{queue.Stream, bus.StreamOutcomes, bus.StreamDead, workStream} {
				failed = append(failed, js.DeleteStream(ctx, stream))
			}
			return errors.Join(failed...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, recreated := counted(t)
			got := make(chan string, 4)
			c := consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
			c.Parallel = 3
			consume(t, w.bus, c)
			w.publish(t, uploaded("f1"))
			if id := next(t, got, "a delivery"); id != "f1" {
				t.Fatalf("got %s", id)
			}
			w.awaitCount(t, workStream, 0)
			if err := remove(t.Context(), w.js); err != nil {
				t.Fatal(err)
			}
			// The budget of a publish outlasts the wait for the streams.
			w.publish(t, uploaded("f2"))
			if id := next(t, got, "a delivery after the loss"); id != "f2" {
				t.Fatalf("got %s", id)
			}
			w.publish(t, completed("f2"))
			if n := recreated("missing"); n != 1 {
				t.Errorf("counted %v times, want 1", n)
			}
		})
	}
}

// One that began with what was new, and is made anew, gets what came since it began:
// what was published while it was gone, and nothing older.
func TestVanishedConsumerOfNewOutcomesMissesNone(t *testing.T) {
	w := open(t)
	w.publish(t, completed("old"))
	got := make(chan string, 8)
	c := consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
	c.Stream, c.Filter, c.OnlyNew, c.Lease = bus.StreamOutcomes, event.OutcomeSubjects, true, time.Second
	consume(t, w.bus, c)
	eventually(t, func() error { return w.js.DeleteConsumer(t.Context(), c.Stream, c.Name) })
	w.publish(t, completed("meanwhile"))
	if item := next(t, got, "outcome of the time without a consumer"); item != "meanwhile" {
		t.Errorf("got %s", item)
	}
	w.publish(t, completed("new"))
	if item := next(t, got, "outcome after that"); item != "new" {
		t.Errorf("got %s", item)
	}
}

// A consumer that someone paused has messages and hands none out.
func TestSilentConsumerIsNoticed(t *testing.T) {
	w, recreated := counted(t)
	got := make(chan string, 1)
	c := consumer(func(_ context.Context, d bus.Delivery) error { got <- d.Item; return nil })
	c.Lease = 300 * time.Millisecond
	consume(t, w.bus, c)
	eventually(t, func() error {
		_, err := w.js.PauseConsumer(t.Context(), workStream, c.Name+"-0", time.Now().Add(time.Hour))
		return err
	})
	w.publish(t, uploaded("f1"))
	eventually(t, func() error {
		if recreated("stalled") == 0 {
			return errors.New("the silent consumer is not counted")
		}
		return nil
	})
	if _, err := w.js.ResumeConsumer(t.Context(), workStream, c.Name+"-0"); err != nil {
		t.Fatal(err)
	}
	if id := next(t, got, "the delivery"); id != "f1" {
		t.Errorf("got %s", id)
	}
}

// counted is a world with the count of recreated consumers by cause.
func counted(t *testing.T) (*world, func(cause string) float64) {
	t.Helper()
	url := bustest.Start(t)
	w := openAt(t, url, bus.Config{})
	reg := prometheus.NewRegistry()
	b, err := bus.Connect(t.Context(), settings(url, bus.Config{}), "watched", zerolog.New(zerolog.NewTestWriter(t)), reg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	w.bus = b
	return w, func(cause string) float64 {
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
