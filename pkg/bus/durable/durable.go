// Package durable declares streams that retain acknowledged messages, and rejects
// settings and servers that could lose them, unless a setting accepts the loss.
package durable

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNotDurable means that acknowledged events could be lost and that no setting accepts the
// loss.
var ErrNotDurable = errors.New("acknowledged events could be lost")

// SyncAlways is the Policy.Sync of a server that syncs each message to disk before it
// acknowledges it.
const SyncAlways = "always"

// Policy specifies the required durability of streams and the accepted losses.
type Policy struct {
	Replicas int    // replicas of each stream
	Sync     string // when the server syncs messages to disk: SyncAlways or an interval

	AllowUnsynced      bool // loss in a power failure
	AllowMemory        bool // streams on memory storage
	AllowFewerReplicas bool // streams with fewer replicas than Replicas
}

// Check returns ErrNotDurable if no stream of the policy is durable.
func (p Policy) Check() error { return p.synced(p.Replicas) }

// synced returns ErrNotDurable if streams with this many replicas can lose acknowledged
// messages in a power failure. With several replicas, only a simultaneous power failure of most
// servers loses them.
func (p Policy) synced(replicas int) error {
	if replicas > 1 || p.Sync == SyncAlways || p.AllowUnsynced {
		return nil
	}
	return fmt.Errorf("%w in a power failure: the streams have one replica, and clients cannot see whether the server syncs it to disk: "+
		"set sync_interval: always in the server's jetstream block and ASSAY_NATS_SYNC=always, or accept the risk with ASSAY_ALLOW_UNSYNCED=true", ErrNotDurable)
}

// keep returns the settings to use for a stream, given its current ones. It returns
// ErrNotDurable if they could lose acknowledged messages.
func (p Policy) keep(want, have jetstream.StreamConfig) (jetstream.StreamConfig, error) {
	risk := func(what, allow string) error {
		return fmt.Errorf("%w: it %s, or accept that with %s=true", ErrNotDurable, what, allow)
	}
	switch {
	case have.Storage != want.Storage && !p.AllowMemory:
		return want, risk("uses memory storage: delete it, or move it to file storage", "ASSAY_ALLOW_MEMORY_STREAMS")
	case have.PersistMode == jetstream.AsyncPersistMode && !p.AllowUnsynced:
		return want, risk("acknowledges before it has written (persist_mode async): delete it", "ASSAY_ALLOW_UNSYNCED")
	case have.Replicas > want.Replicas && !p.AllowFewerReplicas:
		return want, risk(fmt.Sprintf("has %d replicas, which would become %d: set ASSAY_NATS_REPLICAS=%d", have.Replicas, want.Replicas, have.Replicas), "ASSAY_ALLOW_FEWER_REPLICAS")
	}
	want.Storage, want.PersistMode = have.Storage, have.PersistMode // the server cannot change these settings
	return want, nil
}
