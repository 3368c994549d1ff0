// Package upload finds the objects of reserved uploads and publishes the events that report them as
// stored. Ingest, the analyzers and their sweeps share it for every area, so that the client's call,
// the bucket's notification and a sweep treat an upload the same way. The package also has the rule for the characters
// of names.
package upload

import (
	"context"
	"errors"
	"time"

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

// Item describes an item whose content is uploaded, independently of its area.
type Item struct {
	Area, ID, Owner string
	Bucket          *blob.Store
	Key             string // key of the object with the content
	Size            int64  // reserved length in bytes; negative if any length is accepted
	State           State
	Status          string // the state as the area names it
	Created         time.Time
	Updated         time.Time // time of the last move
	// Again means that the item was processed before, so that a worker may still hold its previous message.
	Again bool
	// Stored means that another run of the item needs the stored content.
	Stored bool
	// Traced is the context of the request that reserved the item, if the item contains it. Otherwise the object does.
	Traced func(context.Context) context.Context
	// Event returns the event that starts the work, for the stored object.
	Event func(blob.Object) event.Event
}

// State is what the states of all areas mean for an upload.
type State int

// The states. In Started, the work can begin without looking at the content, which is known or fetched by a worker.
const (
	Settled State = iota // a worker processes or has processed the item
	Waiting              // for the content, or for the event that reports it
	Started
	Failed // wholly or in part
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

// traced returns a context with the trace of the reservation of an item, if it is known.
func (i Item) traced(ctx context.Context, object blob.Object) context.Context {
	if i.Traced != nil {
		return i.Traced(ctx)
	}
	if id := object.Metadata[metaRequestID]; id != "" {
		return obs.WithTrace(ctx, obs.ContinueTrace(id, object.Metadata[metaParent], ""))
	}
	return ctx
}

// Find reads the metadata of the object of an item. It returns ErrNoBytes if there is no object, and the object with
// ErrOtherBytes if its length differs from the reserved one.
func Find(ctx context.Context, i Item) (blob.Object, error) {
	object, err := i.Bucket.Head(ctx, i.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return object, ErrNoBytes
	}
	if err == nil && i.Size >= 0 && object.Size != i.Size {
		err = ErrOtherBytes.With(reason.BytesInstead, object.Size, i.Size)
	}
	return object, err
}

// Absent reports whether an error of Find means that the content is missing or differs, rather than unknown.
func Absent(err error) bool { return errors.Is(err, ErrNoBytes) || errors.Is(err, ErrOtherBytes) }

// Announcer publishes the work events of uploads. It is safe for concurrent use.
type Announcer struct {
	bus *bus.Bus
	log zerolog.Logger
}

// NewAnnouncer returns an announcer.
func NewAnnouncer(b *bus.Bus, log zerolog.Logger) *Announcer { return &Announcer{b, log} }

// Confirm checks whether the object of an item exists and, while the item waits for it, publishes its event. It is called
// for client requests, for bucket notifications and by the sweep, in any order and any number of times, since the event
// id is always the same. It returns the errors of Find and of Announce.
func (a *Announcer) Confirm(ctx context.Context, i Item) error {
	switch i.State {
	case Waiting:
	case Started:
		return a.bus.Ensure(ctx, i.Event(blob.Object{}))
	default:
		return nil
	}
	object, err := Find(ctx, i)
	if err != nil {
		return err
	}
	return a.Announce(ctx, i, object)
}

// Announce publishes the event of an item that waits for its content, with the given object. It is the second half of
// Confirm. It returns the errors of bus.Publish, such as bus.ErrFull; bus.ErrOutstanding only if the previous message of an
// item that is processed again is not yet acknowledged.
func (a *Announcer) Announce(ctx context.Context, i Item, object blob.Object) (err error) {
	ctx, span := obs.Continue(ctx, i.traced(ctx, object), "upload detected")
	defer func() { obs.End(span, err) }()
	err = a.bus.Publish(ctx, i.Event(object))
	if errors.Is(err, bus.ErrOutstanding) && !i.Again {
		return nil // already announced
	}
	if err != nil {
		return err
	}
	log := obs.Log(ctx, a.log)
	log.Info().Str("area", i.Area).Str("id", i.ID).Int64("size", object.Size).Msg("upload detected")
	return nil
}

// Resend publishes the event of an item in any state whose event was lost. It does so even if the object is missing or
// differs: the item then fails with that reason. It is not an error if the event is still outstanding.
func (a *Announcer) Resend(ctx context.Context, i Item) error {
	object, err := Find(ctx, i)
	if err != nil && !Absent(err) {
		return err
	}
	ctx, span := obs.Continue(ctx, i.traced(ctx, object), "resend")
	err = a.bus.Ensure(ctx, i.Event(object))
	obs.End(span, err)
	return err
}
