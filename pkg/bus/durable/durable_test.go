package durable_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/conn"
	"github.com/assay-project/assay/pkg/bus/durable"
)

// TestLossySettingsAreRejected checks that a stream that could lose acknowledged messages is
// not declared. The error names the setting that accepts the loss; with it, the stream is
// declared.
func TestLossySettingsAreRejected(t *testing.T) {
	want := func(p durable.Policy) jetstream.StreamConfig {
		return jetstream.StreamConfig{Name: "OUTCOMES", Subjects: []string{"outcomes.>"}, Storage: jetstream.FileStorage, Replicas: p.Replicas}
	}
	none := func(*jetstream.StreamConfig) {}
	for name, test := range map[string]struct {
		found    func(*jetstream.StreamConfig)
		policy   durable.Policy
		says     []string
		accepted durable.Policy
	}{
		"not synced": {
			none, durable.Policy{Replicas: 1}, []string{"ASSAY_NATS_SYNC=always", "ASSAY_ALLOW_UNSYNCED=true"},
			durable.Policy{Replicas: 1, AllowUnsynced: true},
		},
		"synced at intervals": {
			none, durable.Policy{Replicas: 1, Sync: "1s"}, []string{"ASSAY_ALLOW_UNSYNCED=true"},
			durable.Policy{Replicas: 1, Sync: durable.SyncAlways},
		},
		"memory": {
			func(s *jetstream.StreamConfig) { s.Storage = jetstream.MemoryStorage }, durable.Policy{Replicas: 1, Sync: durable.SyncAlways},
			[]string{"OUTCOMES", "memory storage", "ASSAY_ALLOW_MEMORY_STREAMS=true"},
			durable.Policy{Replicas: 1, Sync: durable.SyncAlways, AllowMemory: true},
		},
		"async": {
			func(s *jetstream.StreamConfig) { s.PersistMode = jetstream.AsyncPersistMode }, durable.Policy{Replicas: 1, Sync: durable.SyncAlways},
			[]string{"OUTCOMES", "persist_mode", "ASSAY_ALLOW_UNSYNCED=true"}, durable.Policy{Replicas: 1, AllowUnsynced: true},
		},
		"too few servers": {
			none, durable.Policy{Replicas: 3}, []string{"OUTCOMES", "3 replicas", "ASSAY_NATS_REPLICAS", "ASSAY_ALLOW_FEWER_REPLICAS=true"},
			durable.Policy{Replicas: 3, Sync: durable.SyncAlways, AllowFewerReplicas: true},
		},
		"fewer replicas and not synced": {
			none, durable.Policy{Replicas: 3, AllowFewerReplicas: true}, []string{"ASSAY_ALLOW_UNSYNCED=true"},
			durable.Policy{Replicas: 3, AllowUnsynced: true, AllowFewerReplicas: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := conn.Dial(conn.Config{URL: bustest.Start(t), Client: "test"}, zerolog.Nop())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			found := want(durable.Policy{Replicas: 1})
			if test.found(&found); found.Storage != jetstream.FileStorage || found.PersistMode != jetstream.DefaultPersistMode {
				if err := c.JS.CreateStream(t.Context(), found); err != nil {
					t.Fatal(err)
				}
			}
			declare := func(p durable.Policy) error {
				if err := p.Check(); err != nil {
					return err
				}
				return p.Declare(t.Context(), c.JS, want(p))
			}
			err = declare(test.policy)
			if !errors.Is(err, durable.ErrNotDurable) {
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
