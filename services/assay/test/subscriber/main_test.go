package subscriber_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/tail"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/subscriber"
)

// natsURL is the URL of a server for the example, which has no testing.TB.
var natsURL string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "subscriber-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	url, stop, err := bustest.Serve(dir, server.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	natsURL = url
	code := m.Run()
	stop()
	if err := errors.Join(os.RemoveAll(dir), goleak.Find()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// patience bounds every wait for an expected event.
const patience = 20 * time.Second

// when is the time of the outcomes that tests publish.
var when = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// openAssay connects like a service of Assay, and thus creates the streams.
func openAssay(url string) (*bus.Bus, error) {
	return bus.Connect(context.Background(), bus.Config{URL: url, Replicas: 1, AllowUnsynced: true, OutcomesMaxAge: time.Hour}, "analyzer", zerolog.Nop(), prometheus.NewRegistry())
}

// assay is a NATS server with the streams of Assay.
type assay struct {
	url string
	bus *bus.Bus
	js  jetstream.JetStream
}

func open(t *testing.T) *assay {
	t.Helper()
	w := bustest.Open(t)
	return &assay{w.URL, w.Bus, w.JS}
}

func completed(area, id string) event.Event {
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: area, Id: id, OwnerId: "ann", Name: id + ".txt", CompletedAt: timestamppb.New(when)})
}

func failed(area, id string) event.Event {
	return event.NewAnalysisFailed(&event.AnalysisFailed{Area: area, Id: id, OwnerId: "ann", Name: id + ".pdf", FailedAt: timestamppb.New(when), ErrorMessage: "it is a PDF"})
}

func (a *assay) publish(t *testing.T, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		if err := a.bus.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func (a *assay) config() subscriber.Config {
	return subscriber.Config{
		URL: a.url, Name: "mailer", Lease: patience,
		Backoff: func(int) time.Duration { return time.Millisecond },
	}
}

// start runs a subscriber until stop is called or the test ends. stop returns
// after Run has returned.
func start(t *testing.T, cfg subscriber.Config, handle func(context.Context, subscriber.Outcome) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- subscriber.Run(ctx, cfg, handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// into returns a handler that sends outcomes to a channel.
func into(seen chan<- subscriber.Outcome) func(context.Context, subscriber.Outcome) error {
	return func(_ context.Context, o subscriber.Outcome) error { seen <- o; return nil }
}

func next[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("got no %s within %s, want one", what, patience)
		panic("unreachable")
	}
}

// awaitIdle waits until the consumer has handled everything in the stream. The newest outcome must
// match its filter.
func (a *assay) awaitIdle(t *testing.T, name string) {
	t.Helper()
	_, newest, err := tail.Bounds(t.Context(), a.bus, bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := a.js.Consumer(t.Context(), bus.StreamOutcomes, name)
		if err == nil && c.CachedInfo().AckFloor.Stream >= newest {
			return
		}
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) || time.Now().After(deadline) {
			t.Fatalf("consumer %s has not handled all outcomes within %s, want all: error %v", name, patience, err)
		}
		<-tick.C
	}
}
