package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrLossy says that acknowledged events could be lost, and nobody accepted that.
var ErrLossy = errors.New("acknowledged events could be lost")

// SyncAlways is the Config.Sync of a server that has a message on disk before it
// acknowledges it.
const SyncAlways = "always"

// synced says whether streams with so many copies keep what they acknowledge
// through a loss of power. With several it takes that of most servers at once.
func (c Config) synced(replicas int) error {
	if replicas > 1 || c.Sync == SyncAlways || c.AllowUnsynced {
		return nil
	}
	return fmt.Errorf("%w in a loss of power: the streams have one copy, and no client can see whether the server has it on disk by then: "+
		"give the server's jetstream block sync_interval: always and set ASSAY_NATS_SYNC=always, or accept the risk with ASSAY_ALLOW_UNSYNCED=true", ErrLossy)
}

// durable is what a stream is to become of what it is. It returns ErrLossy.
func (c Config) durable(want, have jetstream.StreamConfig) (jetstream.StreamConfig, error) {
	risk := func(what, allow string) error {
		return fmt.Errorf("%w: it %s, or accept that with %s=true", ErrLossy, what, allow)
	}
	switch {
	case have.Storage != want.Storage && !c.AllowMemory:
		return want, risk("is on memory storage: remove it, or move it to file storage", "ASSAY_ALLOW_MEMORY_STREAMS")
	case have.PersistMode == jetstream.AsyncPersistMode && !c.AllowUnsynced:
		return want, risk("acknowledges before it has written (persist_mode async): remove it", "ASSAY_ALLOW_UNSYNCED")
	case have.Replicas > want.Replicas && !c.AllowFewerReplicas:
		return want, risk(fmt.Sprintf("has %d replicas, which would become %d: set ASSAY_NATS_REPLICAS=%d", have.Replicas, want.Replicas, have.Replicas), "ASSAY_ALLOW_FEWER_REPLICAS")
	}
	want.Storage, want.PersistMode = have.Storage, have.PersistMode // the server changes neither
	return want, nil
}

// Error codes of the server, from its errors.json: it is no cluster, or one with
// too few servers.
const (
	codeNoCluster jetstream.ErrorCode = 10074
	codeNoPeers   jetstream.ErrorCode = 10005
	// The limits of all streams in bytes would exceed the storage of the server.
	codeNoStorage jetstream.ErrorCode = 10047
)

// replicated creates or updates a stream. Where fewer replicas are allowed and no
// more can be had, it has one.
func (b *Bus) replicated(ctx context.Context, apply func(context.Context, jetstream.StreamConfig) (jetstream.Stream, error), want jetstream.StreamConfig) error {
	_, err := apply(ctx, want)
	api, refused := errors.AsType[*jetstream.APIError](err)
	if refused && api.ErrorCode == codeNoStorage && want.MaxBytes > 0 {
		want.MaxBytes = 0 // the storage of the server is the limit
		_, err = apply(ctx, want)
		api, refused = errors.AsType[*jetstream.APIError](err)
	}
	if !refused || api.ErrorCode != codeNoCluster && api.ErrorCode != codeNoPeers {
		return err
	}
	if !b.cfg.AllowFewerReplicas {
		return fmt.Errorf("%w: it cannot have %d replicas (%w): add servers, set fewer with ASSAY_NATS_REPLICAS, or accept fewer with ASSAY_ALLOW_FEWER_REPLICAS=true",
			ErrLossy, want.Replicas, err)
	}
	want.Replicas = 1
	if err := b.cfg.synced(want.Replicas); err != nil {
		return err
	}
	_, err = apply(ctx, want)
	return err
}
