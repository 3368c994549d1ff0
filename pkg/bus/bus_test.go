package bus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(doomedDir); dir != "" {
		os.Exit(runDoomed(dir))
	}
	goleak.VerifyTestMain(m)
}

// workStream is the work stream of the tests.
const workStream = "ASSAY_WORK_TEST"

// patience bounds every wait for something that must happen.
const patience = 20 * time.Second

// when is the time of the facts that tests publish.
var when = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world is a NATS server, a bus of the product on it, and a plain client.
type world struct {
	url string
	bus *bus.Bus
	js  jetstream.JetStream
	nc  *nats.Conn
}

func open(t *testing.T) *world { return openAt(t, bustest.Start(t), bus.Config{}) }

// openAt opens a world on the server at url, with few waiting messages allowed
// unless cfg says otherwise.
func openAt(t *testing.T, url string, cfg bus.Config) *world {
	t.Helper()
	nc, js := dial(t, url)
	return &world{url: url, bus: connect(t, url, cfg), js: js, nc: nc}
}

// dial opens a plain client, until the test ends.
func dial(t *testing.T, url string) (*nats.Conn, jetstream.JetStream) {
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
	return nc, js
}

func connect(t *testing.T, url string, cfg bus.Config) *bus.Bus {
	t.Helper()
	b, err := bus.Connect(t.Context(), settings(url, cfg), "test", zerolog.New(zerolog.NewTestWriter(t)), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

var queue = bus.Queue{Stream: "ASSAY_QUEUE_TEST", Subject: "test.queue", Description: "messages that are no events"}

func settings(url string, cfg bus.Config) bus.Config {
	cfg.URL, cfg.Replicas, cfg.AllowUnsynced = url, 1, true
	if cfg.WorkMaxMessages == 0 {
		cfg.WorkMaxMessages = 1000
	}
	if cfg.Work == nil {
		cfg.Work = []bus.Work{{Stream: workStream, Subjects: "assay.file.uploaded.>"}}
	}
	if cfg.Queues == nil {
		cfg.Queues = []bus.Queue{queue}
	}
	if cfg.OutcomesMaxAge == 0 {
		cfg.OutcomesMaxAge = time.Hour
	}
	return cfg
}

func uploaded(id string) event.Event { return uploadedBy("ann", id) }

func uploadedBy(owner, id string) event.Event {
	return event.Event{
		ID: "file.uploaded/" + id + "/e1", Subject: "assay.file.uploaded." + id, Item: id, Owner: owner, Tenant: owner, Time: when,
		Data: &event.FileUploaded{FileId: id, OwnerId: owner, FileName: "a.txt", Etag: "e1", UploadedAt: timestamppb.New(when)},
	}
}

// uploadedAgain is another event of the same file.
func uploadedAgain(id string) event.Event {
	e := uploaded(id)
	e.ID += "/again"
	return e
}

func completed(id string) event.Event {
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: event.AreaTextFile, Id: id, OwnerId: "ann", Name: "a.txt", CompletedAt: timestamppb.New(when),
		Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{TotalWords: 2, UniqueWords: 1, AvgWordLength: 3}},
	})
}

func (w *world) publish(t *testing.T, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		if err := w.bus.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// consumer is what tests consume the work with: attempts follow each other at
// once.
func consumer(handle func(context.Context, bus.Delivery) error) bus.Consumer {
	return bus.Consumer{
		Name: "worker", Area: event.AreaTextFile, Stream: workStream,
		Lease: patience, Backoff: func(int) time.Duration { return time.Millisecond }, Handle: handle,
	}
}

// consume runs c until stop is called or the test ends. stop returns after
// Consume has.
func consume(t *testing.T, b *bus.Bus, c bus.Consumer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Consume(ctx, c) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Consume: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// next returns what comes from a channel, and ends the test when nothing does.
func next[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s within %s", what, patience)
		panic("unreachable")
	}
}

// eventually waits until ok returns nil.
func eventually(t *testing.T, ok func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(2 * time.Millisecond)
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

func (w *world) count(t *testing.T, stream string) uint64 {
	t.Helper()
	s, err := w.js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

func (w *world) awaitCount(t *testing.T, stream string, want uint64) {
	t.Helper()
	eventually(t, func() error {
		if got := w.count(t, stream); got != want {
			return fmt.Errorf("%s holds %d messages, want %d", stream, got, want)
		}
		return nil
	})
}

// dead returns the dead letters of the consumer "worker", oldest first.
func (w *world) dead(t *testing.T) []*jetstream.RawStreamMsg {
	t.Helper()
	s, err := w.js.Stream(t.Context(), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	var letters []*jetstream.RawStreamMsg
	for seq := s.CachedInfo().State.FirstSeq; seq <= s.CachedInfo().State.LastSeq; seq++ {
		msg, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if msg.Subject == "assay.dead.worker" {
			letters = append(letters, msg)
		}
	}
	return letters
}

func TestConnectReconcilesSettingsAndKeepsMessages(t *testing.T) {
	w := open(t)
	w.publish(t, uploaded("f1"))
	connect(t, w.url, bus.Config{WorkMaxMessages: 1 << 20})
	s, err := w.js.Stream(t.Context(), workStream)
	if err != nil {
		t.Fatal(err)
	}
	if info := s.CachedInfo(); info.Config.MaxBytes != 4<<30 || info.State.Msgs != 1 {
		t.Errorf("limit %d and %d messages, want 4 GiB and 1", info.Config.MaxBytes, info.State.Msgs)
	}
}

func TestConnectNamesTheServerThatDoesNotAnswer(t *testing.T) {
	_, err := bus.Connect(t.Context(), settings("nats://127.0.0.1:1", bus.Config{}), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err == nil || !strings.Contains(err.Error(), "nats://127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
}

func TestCheckFailsWithoutServer(t *testing.T) {
	w := open(t)
	if err := w.bus.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.bus.Close()
	if err := w.bus.Check(t.Context()); err == nil {
		t.Error("a closed bus is well")
	}
}

var errFlaky = errors.New("the disk was busy")
