package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNotDurable means that acknowledged events could be lost and that no setting accepts the
// loss.
var ErrNotDurable = errors.New("acknowledged events could be lost")

// SyncAlways is the Config.Sync of a server that syncs each message to disk before it
// acknowledges it.
const SyncAlways = "always"

// declare creates a stream, or updates one that has other settings. If the settings match it
// only reads the stream, so a user without permission to change streams can declare it. It
// returns ErrNotDurable if the stream could lose acknowledged messages.
func (c Config) declare(ctx context.Context, js *JetStream, want jetstream.StreamConfig) error {
	change, want, err := c.change(ctx, js, want)
	if err != nil {
		return err
	}
	err = change.Err
	switch {
	case err != nil:
	case change.Action == Create:
		err = c.replicated(ctx, js, js.js.CreateStream, want)
	case change.Action == Update:
		err = c.replicated(ctx, js, js.js.UpdateStream, want)
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", want.Name, err)
	}
	return nil
}

// declared reports whether a stream has the settings of want. The server sets the other fields
// itself.
func declared(found, want jetstream.StreamConfig) bool {
	const none = -1 // the server's form of no limit
	same := found
	same.Description, same.Subjects, same.Retention, same.Discard = want.Description, want.Subjects, want.Retention, want.Discard
	same.MaxMsgs, same.MaxBytes, same.MaxAge, same.Replicas, same.Duplicates = cmp.Or(want.MaxMsgs, none), cmp.Or(want.MaxBytes, none), want.MaxAge, max(want.Replicas, 1), want.Duplicates
	if found.MaxBytes == none {
		same.MaxBytes = found.MaxBytes // the storage of a small server is the limit; see replicated
	}
	same.MaxMsgsPerSubject, same.DiscardNewPerSubject = cmp.Or(want.MaxMsgsPerSubject, none), want.DiscardNewPerSubject
	same.RePublish, same.Metadata = want.RePublish, WithSettings(found.Metadata)
	return reflect.DeepEqual(same, found)
}

// Error codes of the server, from its errors.json.
const (
	codeNoCluster jetstream.ErrorCode = 10074
	codeNoPeers   jetstream.ErrorCode = 10005 // too few servers in the cluster
	// The limits of all streams in bytes would exceed the storage of the server.
	codeNoStorage jetstream.ErrorCode = 10047
)

// replicated creates or updates a stream. If fewer replicas are allowed and the
// cluster is too small, the stream has one.
func (c Config) replicated(ctx context.Context, js *JetStream, put func(context.Context, jetstream.StreamConfig) (jetstream.Stream, error), want jetstream.StreamConfig) error {
	err := js.putStream(ctx, put, want)
	api, refused := errors.AsType[*jetstream.APIError](err)
	if refused && api.ErrorCode == codeNoStorage && want.MaxBytes > 0 {
		want.MaxBytes = 0 // the storage of the server is the limit
		err = js.putStream(ctx, put, want)
		api, refused = errors.AsType[*jetstream.APIError](err)
	}
	if !refused || api.ErrorCode != codeNoCluster && api.ErrorCode != codeNoPeers {
		return err
	}
	if !c.AllowFewerReplicas {
		return fmt.Errorf("%w: it cannot have %d replicas (%w): add servers, set fewer with ASSAY_NATS_REPLICAS, or accept fewer with ASSAY_ALLOW_FEWER_REPLICAS=true",
			ErrNotDurable, want.Replicas, err)
	}
	want.Replicas = 1
	if err := c.synced(want.Replicas); err != nil {
		return err
	}
	return js.putStream(ctx, put, want)
}

// synced returns ErrNotDurable if streams with this many replicas can lose acknowledged
// messages in a power failure. With several replicas, only a simultaneous power failure of most
// servers loses them.
func (c Config) synced(replicas int) error {
	if replicas > 1 || c.Sync == SyncAlways || c.AllowUnsynced {
		return nil
	}
	return fmt.Errorf("%w in a power failure: the streams have one replica, and clients cannot see whether the server syncs it to disk: "+
		"set sync_interval: always in the server's jetstream block and ASSAY_NATS_SYNC=always, or accept the risk with ASSAY_ALLOW_UNSYNCED=true", ErrNotDurable)
}

// keep returns the settings to use for a stream, given its current ones. It returns
// ErrNotDurable if they could lose acknowledged messages.
func (c Config) keep(want, have jetstream.StreamConfig) (jetstream.StreamConfig, error) {
	risk := func(what, allow string) error {
		return fmt.Errorf("%w: it %s, or accept that with %s=true", ErrNotDurable, what, allow)
	}
	switch {
	case have.Storage != want.Storage && !c.AllowMemory:
		return want, risk("uses memory storage: delete it, or move it to file storage", "ASSAY_ALLOW_MEMORY_STREAMS")
	case have.PersistMode == jetstream.AsyncPersistMode && !c.AllowUnsynced:
		return want, risk("acknowledges before it has written (persist_mode async): delete it", "ASSAY_ALLOW_UNSYNCED")
	case have.Replicas > want.Replicas && !c.AllowFewerReplicas:
		return want, risk(fmt.Sprintf("has %d replicas, which would become %d: set ASSAY_NATS_REPLICAS=%d", have.Replicas, want.Replicas, have.Replicas), "ASSAY_ALLOW_FEWER_REPLICAS")
	}
	want.Storage, want.PersistMode = have.Storage, have.PersistMode // the server cannot change these settings
	return want, nil
}
