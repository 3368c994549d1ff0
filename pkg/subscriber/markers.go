package subscriber

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/conn"
)

// markers are the dedupe markers of the events that a Name has handled: keys of a key-value bucket
// whose entries are retained as long as the events in the stream.
type markers struct{ bucket *conn.KeyValue }

// openMarkers opens the markers of a Name and creates their bucket if needed. It returns an
// error if the stream does not exist.
func openMarkers(ctx context.Context, b *bus.Bus, name, stream string) (markers, error) {
	source, err := b.JS.Stream(ctx, stream)
	if err != nil {
		return markers{}, err
	}
	config := source.CachedInfo().Config
	bucket, err := b.JS.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: "ASSAY_DONE_" + name, Description: "events that " + name + " has processed",
		TTL: config.MaxAge, Storage: jetstream.FileStorage, Replicas: config.Replicas,
	})
	if err != nil {
		return markers{}, fmt.Errorf("dedupe markers of %s: %w", name, err)
	}
	return markers{bucket}, nil
}

// has reports whether the event with this id has a marker.
func (m markers) has(ctx context.Context, id string) (bool, error) {
	_, err := m.bucket.Get(ctx, markerKey(id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("dedupe marker of %s: %w", id, err)
	}
	return true, nil
}

// set stores the marker of an event durably.
func (m markers) set(ctx context.Context, id string) error {
	if err := m.bucket.Put(ctx, markerKey(id), []byte(id)); err != nil {
		return fmt.Errorf("store the dedupe marker of %s: %w", id, err)
	}
	return nil
}

// markerKey returns a hash of an event id, because an id can contain characters that are not allowed in
// keys.
func markerKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
