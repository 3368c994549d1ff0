package bus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// TestLossySettingsAreRejected checks that a stream that could lose acknowledged messages is
// not declared. The error names the setting that accepts the loss; with it, the stream is
// declared.
func TestLossySettingsAreRejected(t *testing.T) {
	none := func(*jetstream.StreamConfig) {}
	for name, test := range map[string]struct {
		found    func(*jetstream.StreamConfig)
		policy   bus.Config
		says     []string
		accepted bus.Config
	}{
		"not synced": {
			none, bus.Config{Replicas: 1}, []string{"ASSAY_NATS_SYNC=always", "ASSAY_ALLOW_UNSYNCED=true"},
			bus.Config{Replicas: 1, AllowUnsynced: true},
		},
		"synced at intervals": {
			none, bus.Config{Replicas: 1, Sync: "1s"}, []string{"ASSAY_ALLOW_UNSYNCED=true"},
			bus.Config{Replicas: 1, Sync: bus.SyncAlways},
		},
		"memory": {
			func(s *jetstream.StreamConfig) { s.Storage = jetstream.MemoryStorage }, bus.Config{Replicas: 1, Sync: bus.SyncAlways},
			[]string{"OUTCOMES", "memory storage", "ASSAY_ALLOW_MEMORY_STREAMS=true"},
			bus.Config{Replicas: 1, Sync: bus.SyncAlways, AllowMemory: true},
		},
		"async": {
			func(s *jetstream.StreamConfig) { s.PersistMode = jetstream.AsyncPersistMode }, bus.Config{Replicas: 1, Sync: bus.SyncAlways},
			[]string{"OUTCOMES", "persist_mode", "ASSAY_ALLOW_UNSYNCED=true"}, bus.Config{Replicas: 1, AllowUnsynced: true},
		},
		"too few servers": {
			none, bus.Config{Replicas: 3}, []string{"OUTCOMES", "3 replicas", "ASSAY_NATS_REPLICAS", "ASSAY_ALLOW_FEWER_REPLICAS=true"},
			bus.Config{Replicas: 3, Sync: bus.SyncAlways, AllowFewerReplicas: true},
		},
		"fewer replicas and not synced": {
			none, bus.Config{Replicas: 3, AllowFewerReplicas: true}, []string{"ASSAY_ALLOW_UNSYNCED=true"},
			bus.Config{Replicas: 3, AllowUnsynced: true, AllowFewerReplicas: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := bustest.Start(t)
			found := jetstream.StreamConfig{Name: bus.StreamOutcomes, Subjects: []string{event.OutcomeSubjects}, Storage: jetstream.FileStorage, Replicas: 1}
			if test.found(&found); found.Storage != jetstream.FileStorage || found.PersistMode != jetstream.DefaultPersistMode {
				nc, err := nats.Connect(url)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(nc.Close)
				js, err := jetstream.New(nc)
				if err == nil {
					_, err = js.CreateStream(t.Context(), found)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			declare := func(cfg bus.Config) error {
				cfg.URL = url
				b, err := bus.Connect(t.Context(), cfg, "test", zerolog.Nop(), prometheus.NewRegistry())
				if err == nil {
					b.Close()
				}
				return err
			}
			err := declare(test.policy)
			if !errors.Is(err, bus.ErrNotDurable) {
				t.Fatalf("got %v, want ErrNotDurable", err)
			}
			for _, says := range test.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("error %v does not contain %q", err, says)
				}
			}
			if err := declare(test.accepted); err != nil {
				t.Errorf("with the loss accepted: got error %v, want nil", err)
			}
		})
	}
}
