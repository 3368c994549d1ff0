package bus_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// TestLossySettingsAreRefused: a service does not start on streams that could lose
// what they acknowledge, says why and what accepts it, and starts when that is set.
func TestLossySettingsAreRefused(t *testing.T) {
	outcomes := func(change func(*jetstream.StreamConfig)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			if err := w.js.DeleteStream(t.Context(), bus.StreamOutcomes); err != nil {
				t.Fatal(err)
			}
			lossy := jetstream.StreamConfig{Name: bus.StreamOutcomes, Subjects: []string{event.OutcomeSubjects}}
			change(&lossy)
			if _, err := w.js.CreateStream(t.Context(), lossy); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func(*testing.T, *world) {}
	for name, c := range map[string]struct {
		made     func(*testing.T, *world)
		cfg      bus.Config
		says     []string
		accepted bus.Config
	}{
		"not synced": {
			nothing, bus.Config{Replicas: 1}, []string{"ASSAY_NATS_SYNC=always", "ASSAY_ALLOW_UNSYNCED=true"}, bus.Config{Replicas: 1, AllowUnsynced: true},
		},
		"synced at times": {
			nothing, bus.Config{Replicas: 1, Sync: "1s"}, []string{"ASSAY_ALLOW_UNSYNCED=true"}, bus.Config{Replicas: 1, Sync: bus.SyncAlways},
		},
		"memory": {
			outcomes(func(s *jetstream.StreamConfig) { s.Storage = jetstream.MemoryStorage }), bus.Config{Replicas: 1, Sync: bus.SyncAlways},
			[]string{bus.StreamOutcomes, "memory storage", "ASSAY_ALLOW_MEMORY_STREAMS=true"},
			bus.Config{Replicas: 1, Sync: bus.SyncAlways, AllowMemory: true},
		},
		"async": {
			outcomes(func(s *jetstream.StreamConfig) { s.PersistMode = jetstream.AsyncPersistMode }), bus.Config{Replicas: 1, Sync: bus.SyncAlways},
			[]string{bus.StreamOutcomes, "persist_mode", "ASSAY_ALLOW_UNSYNCED=true"}, bus.Config{Replicas: 1, AllowUnsynced: true},
		},
		"too few servers": {
			nothing, bus.Config{Replicas: 3}, []string{"3 replicas", "ASSAY_NATS_REPLICAS", "ASSAY_ALLOW_FEWER_REPLICAS=true"},
			bus.Config{Replicas: 3, Sync: bus.SyncAlways, AllowFewerReplicas: true},
		},
		"fewer and not synced": {
			nothing, bus.Config{Replicas: 3, AllowFewerReplicas: true}, []string{"ASSAY_ALLOW_UNSYNCED=true"},
			bus.Config{Replicas: 3, AllowUnsynced: true, AllowFewerReplicas: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			c.made(t, w)
			try := func(cfg bus.Config) error {
				cfg.URL, cfg.WorkMaxMessages, cfg.OutcomesMaxAge = w.url, 1000, time.Hour
				b, err := bus.Connect(t.Context(), cfg, "test", zerolog.Nop(), prometheus.NewRegistry())
				if err == nil {
					b.Close()
				}
				return err
			}
			err := try(c.cfg)
			if !errors.Is(err, bus.ErrLossy) {
				t.Fatalf("got %v", err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("it does not say %q: %v", says, err)
				}
			}
			if err := try(c.accepted); err != nil {
				t.Errorf("accepted, and refused: %v", err)
			}
		})
	}
}

// TestLostStreamIsMadeAnewByAPublish: an event for a stream that someone deleted
// makes all streams be declared again, also one that has no consumer to miss it.
func TestLostStreamIsMadeAnewByAPublish(t *testing.T) {
	w := openAt(t, bustest.Start(t), bus.Config{})
	if err := w.js.DeleteStream(t.Context(), bus.StreamOutcomes); err != nil {
		t.Fatal(err)
	}
	if err := w.bus.Republish(t.Context(), completed("f1")); err != nil {
		t.Fatal(err)
	}
	outcomes, err := w.js.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if n := outcomes.CachedInfo().State.Msgs; n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}
