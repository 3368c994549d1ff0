package bustest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
)

// World is a NATS server, a bus connected to it, and a plain client.
type World struct {
	URL  string
	Bus  *bus.Bus
	NATS *nats.Conn
	JS   jetstream.JetStream
}

// WorkStream is the work stream of a World.
const WorkStream = "ASSAY_WORK_TEST"

// Queue returns the queue of a World.
func Queue() bus.Queue {
	return bus.Queue{Stream: "ASSAY_QUEUE_TEST", Subject: "test.queue", Type: "test", Description: "messages that are not events"}
}

// Open opens a World on its own server, which stops when the test ends.
func Open(t testing.TB) *World {
	t.Helper()
	return OpenAt(t, Start(t), bus.Config{})
}

// OpenAt opens a World on the server at url, with the configuration that Settings returns.
func OpenAt(t testing.TB, url string, cfg bus.Config) *World {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return &World{URL: url, Bus: Connect(t, url, cfg), NATS: nc, JS: js}
}

// Connect connects another bus to the server at url. It is closed when the test ends.
func Connect(t testing.TB, url string, cfg bus.Config) *bus.Bus {
	t.Helper()
	b, err := bus.Connect(t.Context(), Settings(url, cfg), "test", zerolog.New(zerolog.NewTestWriter(t)), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Settings returns cfg with the server at url and, unless set, one work stream, one queue, a
// limit of 1,000 queued messages, and outcomes for an hour.
func Settings(url string, cfg bus.Config) bus.Config {
	cfg.URL, cfg.Replicas, cfg.AllowUnsynced = url, 1, true
	if cfg.WorkMaxMessages == 0 {
		cfg.WorkMaxMessages = 1000
	}
	if cfg.Work == nil {
		cfg.Work = []bus.Work{{Stream: WorkStream, Subjects: "assay.file.uploaded.>"}}
	}
	if cfg.Queues == nil {
		cfg.Queues = []bus.Queue{Queue()}
	}
	if cfg.OutcomesMaxAge == 0 {
		cfg.OutcomesMaxAge = time.Hour
	}
	return cfg
}

// When returns the time of the events below.
func When() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Uploaded returns a work event of the owner ann.
func Uploaded(id string) event.Event { return UploadedBy("ann", id) }

// UploadedBy returns a work event.
func UploadedBy(owner, id string) event.Event {
	return event.Event{
		ID: "file.uploaded/" + id + "/e1", Subject: "assay.file.uploaded." + id, Item: id, Owner: owner, Tenant: owner, Time: When(),
		Data: &event.FileUploaded{FileId: id, OwnerId: owner, FileName: "a.txt", Etag: "e1", UploadedAt: timestamppb.New(When())},
	}
}

// UploadedAgain returns another work event of the same item.
func UploadedAgain(id string) event.Event {
	e := Uploaded(id)
	e.ID += "/again"
	return e
}

// Completed returns an outcome.
func Completed(id string) event.Event {
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: "textfile", Id: id, OwnerId: "ann", Name: "a.txt", CompletedAt: timestamppb.New(When()),
		Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{TotalWords: 2, UniqueWords: 1, AvgWordLength: 3}},
	})
}

// Publish publishes events.
func (w *World) Publish(t testing.TB, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		if err := w.Bus.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// Count returns the number of messages in a stream.
func (w *World) Count(t testing.TB, stream string) uint64 {
	t.Helper()
	s, err := w.JS.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// AwaitCount waits until a stream contains want messages.
func (w *World) AwaitCount(t testing.TB, stream string, want uint64) {
	t.Helper()
	Eventually(t, func() error {
		if got := w.Count(t, stream); got != want {
			return fmt.Errorf("%s contains %d messages, want %d", stream, got, want)
		}
		return nil
	})
}

// Dead returns the dead letters of the consumer "worker", oldest first.
func (w *World) Dead(t testing.TB) []*jetstream.RawStreamMsg {
	t.Helper()
	s, err := w.JS.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	var deadLetters []*jetstream.RawStreamMsg
	for seq := s.CachedInfo().State.FirstSeq; seq <= s.CachedInfo().State.LastSeq; seq++ {
		msg, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if msg.Subject == "assay.dead.worker" {
			deadLetters = append(deadLetters, msg)
		}
	}
	return deadLetters
}

// Consumer returns the consumer "worker" of the work stream, which retries after one
// millisecond.
func Consumer(handle func(context.Context, bus.Delivery) error) bus.Consumer {
	return bus.Consumer{
		Name: "worker", Area: "textfile", Stream: WorkStream,
		Lease: Patience, Backoff: func(int) time.Duration { return time.Millisecond }, Handle: handle,
	}
}

// Runner returns a runner of consumers.
func Runner(t testing.TB, b *bus.Bus) *consume.Runner {
	return consume.New(b, zerolog.New(zerolog.NewTestWriter(t)), prometheus.NewRegistry())
}

// Consume runs c until stop is called or the test ends. stop returns after Run has
// returned.
func Consume(t testing.TB, b *bus.Bus, c bus.Consumer) (stop func()) {
	t.Helper()
	return ConsumeWith(t, Runner(t, b), c)
}

// ConsumeWith is like Consume, with the given runner.
func ConsumeWith(t testing.TB, r *consume.Runner, c bus.Consumer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx, c) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// Patience limits every wait for an expected event.
const Patience = 20 * time.Second

// Next returns the next value of a channel. It ends the test if none arrives within Patience.
func Next[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Patience):
		t.Fatalf("no %s within %s", what, Patience)
		panic("unreachable")
	}
}

// Eventually waits until ok returns nil. It ends the test with the error of ok after Patience.
func Eventually(t testing.TB, ok func() error) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ok()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-tick.C
	}
}
