package subscriber

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// markers are the dedupe markers of the events that a Name has handled: keys of a key-value bucket
// whose entries are retained as long as the events in the stream.
type markers struct{ bucket jetstream.KeyValue }

// openMarkers opens the markers of a Name and creates their bucket if needed.
func openMarkers(ctx context.Context, js jetstream.JetStream, name string, stream jetstream.StreamConfig) (markers, error) {
	bucket, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: "ASSAY_DONE_" + name, Description: "events that " + name + " has processed",
		TTL: stream.MaxAge, Storage: jetstream.FileStorage, Replicas: stream.Replicas,
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
	if _, err := m.bucket.Put(ctx, markerKey(id), []byte(id)); err != nil {
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
