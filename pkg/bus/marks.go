package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Marks remembers which outcomes a consumer is done with, in a key-value
// bucket of its own, for as long as the stream keeps outcomes.
type Marks struct {
	bus    *Bus
	bucket jetstream.KeyValue
}

// Marks opens the marks of the named consumer and creates them when there are
// none. It returns an error when the stream of outcomes does not exist.
func (b *Bus) Marks(ctx context.Context, consumer string) (_ *Marks, err error) {
	outcomes, err := b.outcomes(ctx)
	if err != nil {
		return nil, err
	}
	ctx, settle := b.permitted(ctx, "KV_ASSAY_DONE_"+consumer)
	defer settle(&err)
	bucket, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: "ASSAY_DONE_" + consumer, Description: "outcomes that " + consumer + " is done with",
		TTL: outcomes.Config.MaxAge, Storage: jetstream.FileStorage, Replicas: outcomes.Config.Replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("marks of %s: %w", consumer, err)
	}
	return &Marks{b, bucket}, nil
}

// Has says whether the event of this id is marked.
func (m *Marks) Has(ctx context.Context, id string) (marked bool, err error) {
	ctx, settle := m.bus.permitted(ctx, m.bucket.Bucket())
	defer settle(&err)
	_, err = m.bucket.Get(ctx, markKey(id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("mark of %s: %w", id, err)
	}
	return true, nil
}

// Set marks the event of this id. The mark is on disk when Set returns nil.
func (m *Marks) Set(ctx context.Context, id string) (err error) {
	ctx, settle := m.bus.permitted(ctx, m.bucket.Bucket())
	defer settle(&err)
	if _, err := m.bucket.Put(ctx, markKey(id), []byte(id)); err != nil {
		return fmt.Errorf("mark %s: %w", id, err)
	}
	return nil
}

// markKey is a hash, since event ids may hold what keys may not.
func markKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
