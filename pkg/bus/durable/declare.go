package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus/conn"
)

// Declare creates a stream, or updates one that has other settings. If the settings match it
// only reads the stream, so a user without permission to change streams can declare it. It
// returns ErrNotDurable if the stream could lose acknowledged messages.
func (p Policy) Declare(ctx context.Context, js *conn.JetStream, want jetstream.StreamConfig) error {
	have, err := js.Stream(ctx, want.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		err = p.replicated(ctx, js.CreateStream, want)
	case err != nil:
		return err
	default:
		err = p.adjust(ctx, js, have.CachedInfo().Config, want)
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", want.Name, err)
	}
	return nil
}

func (p Policy) adjust(ctx context.Context, js *conn.JetStream, found, want jetstream.StreamConfig) error {
	want, err := p.keep(want, found)
	if err != nil || declared(found, want) {
		return err
	}
	return p.replicated(ctx, js.UpdateStream, want)
}

// declared reports whether a stream has the settings of want. The server sets the other fields
// itself.
func declared(found, want jetstream.StreamConfig) bool {
	same := found
	same.Description, same.Subjects, same.Retention, same.Discard = want.Description, want.Subjects, want.Retention, want.Discard
	same.MaxMsgs, same.MaxBytes, same.MaxAge, same.Replicas, same.Duplicates = unlimited(want.MaxMsgs), unlimited(want.MaxBytes), want.MaxAge, max(want.Replicas, 1), want.Duplicates
	if found.MaxBytes == unlimited(0) {
		same.MaxBytes = found.MaxBytes // the storage of a small server is the limit; see replicated
	}
	same.MaxMsgsPerSubject, same.DiscardNewPerSubject = unlimited(want.MaxMsgsPerSubject), want.DiscardNewPerSubject
	same.RePublish = want.RePublish
	return reflect.DeepEqual(same, found)
}

// unlimited returns a limit in the server's form, where -1 means no limit.
func unlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
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
func (p Policy) replicated(ctx context.Context, apply func(context.Context, jetstream.StreamConfig) error, want jetstream.StreamConfig) error {
	err := apply(ctx, want)
	api, refused := errors.AsType[*jetstream.APIError](err)
	if refused && api.ErrorCode == codeNoStorage && want.MaxBytes > 0 {
		want.MaxBytes = 0 // the storage of the server is the limit
		err = apply(ctx, want)
		api, refused = errors.AsType[*jetstream.APIError](err)
	}
	if !refused || api.ErrorCode != codeNoCluster && api.ErrorCode != codeNoPeers {
		return err
	}
	if !p.AllowFewerReplicas {
		return fmt.Errorf("%w: it cannot have %d replicas (%w): add servers, set fewer with ASSAY_NATS_REPLICAS, or accept fewer with ASSAY_ALLOW_FEWER_REPLICAS=true",
			ErrNotDurable, want.Replicas, err)
	}
	want.Replicas = 1
	if err := p.synced(want.Replicas); err != nil {
		return err
	}
	return apply(ctx, want)
}
