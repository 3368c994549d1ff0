// Package upload finds the objects of reserved uploads and publishes the events that report them as
// stored. Ingest, the analyzers and their sweeps share it for every area, so that the client's call,
// the bucket's notification and a sweep treat an upload the same way.
package upload

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/reason"
)

const (
	// ErrNoBytes means that the bytes of an upload are not in the bucket.
	ErrNoBytes = reason.NoBytes
	// ErrOtherBytes means that the bytes do not have the reserved length.
	ErrOtherBytes = reason.OtherBytes
)

// Metadata names under which a reservation's trace is stored with its object, so that the event has the trace
// regardless of how the upload is detected.
const (
	metaRequestID = "request-id"
	metaParent    = "traceparent"
)

// Metadata returns the metadata to store with an object that the client uploads itself.
func Metadata(ctx context.Context) map[string]string {
	trace := obs.TraceFrom(ctx)
	return map[string]string{metaRequestID: trace.RequestID, metaParent: trace.Parent}
}

// Traced returns a context with the trace of the reservation of an object, if it has one.
func Traced(ctx context.Context, object blob.Object) context.Context {
	if id := object.Metadata[metaRequestID]; id != "" {
		return obs.WithTrace(ctx, obs.ContinueTrace(id, object.Metadata[metaParent], ""))
	}
	return ctx
}

// Find reads the metadata of the object of an upload. size is the reserved length in bytes; a negative size accepts
// any length. Find returns ErrNoBytes if there is no object, and the object with ErrOtherBytes if its length
// differs.
func Find(ctx context.Context, bucket *blob.Store, key string, size int64) (blob.Object, error) {
	object, err := bucket.Head(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return object, ErrNoBytes
	}
	if err == nil && size >= 0 && object.Size != size {
		err = ErrOtherBytes.With(reason.BytesInstead, object.Size, size)
	}
	return object, err
}

// Announcer publishes the work events of one area's uploads. It is safe for concurrent use.
type Announcer struct {
	Area string // area in the log
	Bus  *bus.Bus
	Log  zerolog.Logger
}

// Announce publishes the event that reports an object as stored. It is idempotent, because the event's id is the same
// in every call. again means that the item is to be processed again. Announce returns the errors of bus.Publish, but
// ignores bus.ErrOutstanding unless again is set.
func (a Announcer) Announce(ctx context.Context, e event.Event, size int64, again bool) error {
	err := a.Bus.Publish(ctx, e)
	if errors.Is(err, bus.ErrOutstanding) && !again {
		return nil // already announced
	}
	if err != nil {
		return err
	}
	log := obs.Log(ctx, a.Log)
	log.Info().Str("area", a.Area).Str("id", e.Item).Int64("size", size).Msg("upload detected")
	return nil
}

// Resend publishes an event that was lost. It is not an error if the event is still outstanding.
func (a Announcer) Resend(ctx context.Context, e event.Event) error {
	if err := a.Bus.Publish(ctx, e); !errors.Is(err, bus.ErrOutstanding) {
		return err
	}
	return nil
}
