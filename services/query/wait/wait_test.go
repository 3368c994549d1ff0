package wait

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

// patience bounds every wait for an expected event.
const patience = 30 * time.Second

// system contains waits with a hub on a NATS server, and the ids of items that are final.
type system struct {
	*testing.T
	waits *Waits
	hub   *live.Hub
	bus   *bus.Bus
	js    jetstream.JetStream
	items sync.Map // ids of final items
	looks atomic.Int64
}

// open returns a system whose waits do not poll. Its hub is not running.
func open(t *testing.T) *system {
	t.Helper()
	w := bustest.Open(t)
	hub := live.New(live.Config{Readers: 1, PerClient: 1}, live.Options{Bus: w.Bus, Log: zerolog.Nop(), Registry: prometheus.NewRegistry()})
	s := &system{T: t, hub: hub, bus: w.Bus, js: w.JS, waits: New(Config{Waits: 10_000, PerClient: 10_000}, hub)}
	s.waits.again = time.Hour
	return s
}

// follow runs the hub until stop is called.
func (s *system) follow() (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.hub.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(stop)
	return stop
}

func (s *system) get(_ context.Context, id string) (bool, error) {
	_, final := s.items.Load(id)
	s.looks.Add(1)
	return final, nil
}

// read waits for an item and returns whether it is final.
func (s *system) read(ctx context.Context, id, wait string) (bool, error) {
	return Read(ctx, s.waits, "textfile", id, Param{wait}, s.get, func(final bool) bool { return final })
}

// finish makes an item final and publishes its outcome, as the analyzer does.
func (s *system) finish(id string) {
	s.Helper()
	s.items.Store(id, true)
	if err := s.bus.Publish(s.Context(), event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: "textfile", Id: id, OwnerId: "ann", CompletedAt: timestamppb.Now(),
	})); err != nil {
		s.Fatal(err)
	}
}

// expect waits for the item to be final. If a wake-up is lost, the request waits
// longer than patience, and expect fails.
func (s *system) expect(id string) {
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	if final, err := s.read(ctx, id, "60s"); err != nil || !final {
		s.Errorf("%s: got final = %t, error %v, want true", id, final, err)
	}
}

// A wake-up is not lost, whether an item becomes final before, while or after the
// request reads it.
func TestNoWakeUpIsLost(t *testing.T) {
	s := open(t)
	s.follow()
	for i := range 300 {
		id := fmt.Sprint("f", i)
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() { s.expect(id) })
		}
		s.finish(id)
		waiting.Wait()
	}
}

// Outcomes that are published while the hub is disconnected wake requests after it has reconnected.
func TestWakeUpsSurviveARestartOfTheHub(t *testing.T) {
	s := open(t)
	stop := s.follow()
	for i := range 5 {
		for name, interrupt := range map[string]func(){
			"stopped":  func() { stop(); s.finish(fmt.Sprint("stopped", i)); stop = s.follow() },
			"consumer": func() { s.deleteConsumers(); s.finish(fmt.Sprint("consumer", i)) },
		} {
			looked := s.looks.Load()
			var waiting sync.WaitGroup
			waiting.Go(func() { s.expect(fmt.Sprint(name, i)) })
			for s.looks.Load() == looked {
				runtime.Gosched()
			}
			interrupt()
			waiting.Wait()
		}
	}
}

func (s *system) deleteConsumers() {
	stream, err := s.js.Stream(s.Context(), bus.StreamOutcomes)
	if err != nil {
		s.Fatal(err)
	}
	names := stream.ConsumerNames(s.Context())
	for name := range names.Name() {
		if err := s.js.DeleteConsumer(s.Context(), bus.StreamOutcomes, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			s.Fatal(err)
		}
	}
	if names.Err() != nil {
		s.Fatal(names.Err())
	}
}

// Without live events, requests poll.
func TestRequestsPollWithoutTheHub(t *testing.T) {
	s := open(t)
	s.waits.again = 10 * time.Millisecond
	var waiting sync.WaitGroup
	waiting.Go(func() { s.expect("f1") })
	for s.looks.Load() < 3 {
		runtime.Gosched()
	}
	s.items.Store("f1", true)
	waiting.Wait()
}

func TestWaitsEnd(t *testing.T) {
	s := open(t)
	s.follow()
	for _, again := range []time.Duration{20 * time.Millisecond, time.Hour} {
		s.waits.again = again
		began := time.Now()
		if final, err := s.read(t.Context(), "f1", "150ms"); err != nil || final || time.Since(began) < 150*time.Millisecond {
			t.Errorf("after %s: got final = %t, error %v, want false after 150ms", time.Since(began), final, err)
		}
	}
	looked := s.looks.Load()
	if final, err := s.read(t.Context(), "f1", "0s"); err != nil || final || s.looks.Load() != looked+1 {
		t.Errorf("no wait: got final = %t, error %v, %d reads, want false and 1 read", final, err, s.looks.Load()-looked)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.read(gone, "f1", "60s"); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has disconnected: got error %v, want Canceled", err)
	}
	for _, wrong := range []string{"soon", "61s", "-1s"} {
		if p, ok := errors.AsType[*web.Problem](func() error { _, err := s.read(t.Context(), "f1", wrong); return err }()); !ok || p.Status != http.StatusUnprocessableEntity {
			t.Errorf("wait=%s: got problem %v, want status 422", wrong, p)
		}
	}
}

// Thousands of requests share one consumer, and each uses little memory.
func TestThousandsOfWaitsUseLittleMemory(t *testing.T) {
	const requests, each = 5000, 12 << 10 // bytes: a stack of 8 KiB, the timer, a channel and a group
	s := open(t)
	s.follow()
	s.finish("warm")
	s.expect("warm")
	ctx, leave := context.WithCancel(t.Context())
	before := memory()
	var waiting sync.WaitGroup
	for i := range requests {
		waiting.Go(func() {
			if _, err := s.read(ctx, fmt.Sprint("f", i), "60s"); !errors.Is(err, context.Canceled) {
				t.Errorf("a canceled request: got error %v, want Canceled", err)
			}
		})
	}
	for s.looks.Load() < requests {
		runtime.Gosched()
	}
	used := memory() - before
	t.Logf("%d waits use %d KiB", requests, used>>10)
	if used > requests*each {
		t.Errorf("%d waits use %d bytes each, want at most %d", requests, used/requests, each)
	}
	stream, err := s.js.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := stream.Info(t.Context()); err != nil || info.State.Consumers != 1 {
		t.Errorf("the stream has %d consumers, error %v, want 1", info.State.Consumers, err)
	}
	leave()
	waiting.Wait()
}

func memory() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}
