// Package accept is the way in of every area whose items have uploaded content: it admits and reserves uploads, counts them
// toward quotas, receives forms, detects finished uploads, and retries, deletes and replays items. It is the counterpart of
// the analyzer's package work. An area supplies what differs.
package accept

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Change changes an item and returns it as it then is, or was, if it is deleted.
type Change[I any] func(context.Context, I) (I, error)

// Area is what an area supplies for its items of type I.
type Area[I any] struct {
	Name   string
	Stream string      // the work stream, for admission
	Bucket *blob.Store // stores the uploads
	Nouns  Nouns
	Path   string // of the call that reads an item, without the id at its end
	// Readable means that callers may read the items of other owners whose ids they know, unless callers are authenticated.
	Readable bool
	// Upload describes an item whose upload is stored in a bucket.
	Upload func(I, *blob.Store) upload.Item
	// Find reads an item, with a strongly consistent read. It returns lifecycle.ErrNotFound if there is none.
	Find func(ctx context.Context, id string) (I, error)
	// Owns returns the id of the item whose upload is stored in an object. It returns "" for other objects of the area, and
	// false for those of other areas.
	Owns func(blob.Object) (id string, mine bool)
	// Worked returns the id of the item of a message in the work stream of the area, and false for other subjects.
	Worked func(subject string) (id string, mine bool)
	// Retry moves a failed item to a state in which it can be processed again.
	Retry Change[I]
	// Clean deletes the objects of an item.
	Clean func(context.Context, I) error
	// Delete deletes an item, except its objects.
	Delete Change[I]
	// Problem converts errors of the area that a client can resolve into HTTP problems. It returns other errors unchanged.
	Problem func(error) error
	// Check returns an error if the tables are unavailable.
	Check func(context.Context) error
}

// Shared contains what the areas of a service share.
type Shared struct {
	Bus       *bus.Bus
	Receiver  *receive.Receiver
	Parts     *parts.Uploads
	Quotas    *quota.Quotas
	Withdrawn *withdrawn.Items   // items whose later content is deleted
	Webhooks  *webhook.Endpoints // that requests may name
	Tags      *saved.Tags        // those of the owner of a deleted item are removed
	Log       zerolog.Logger
}

// Items accepts the items of one area. It is safe for concurrent use.
type Items[I any] struct {
	Shared
	*upload.Announcer
	Bucket *blob.Store
	area   Area[I]
}

// New returns the items of an area.
func New[I any](shared Shared, area Area[I]) *Items[I] {
	return &Items[I]{Shared: shared, Announcer: upload.NewAnnouncer(shared.Bus, shared.Log), Bucket: area.Bucket, area: area}
}

// Check returns an error if the tables of the area are unavailable.
func (s *Items[I]) Check(ctx context.Context) error { return s.area.Check(ctx) }

// Upload describes the upload of an item.
func (s *Items[I]) Upload(item I) upload.Item { return s.area.Upload(item, s.Bucket) }

// Errors of requests.
var (
	// ErrNoOwner means that an idempotency key was sent without an owner. Keys are scoped to owners.
	ErrNoOwner = errors.New("an idempotency key requires an owner")
	// ErrForeign means that an item, which the caller may read, belongs to another owner.
	ErrForeign = errors.New("the item belongs to another owner")
	// ErrOtherRequest means that an idempotency key was used for another request.
	ErrOtherRequest = errors.New("the idempotency key was used for another request")
)

// Admit returns nil if a request of an owner for new work is accepted. named states whether the request names its owner.
func (s *Items[I]) Admit(ctx context.Context, owner string, named bool, idempotencyKey string) error {
	switch {
	case idempotencyKey != "" && !named:
		return ErrNoOwner
	case len(idempotencyKey) > receive.MaxKey:
		return web.Invalid(web.FieldError{Field: "header.Idempotency-Key", Message: "is longer than 255 bytes"})
	}
	return s.Bus.Admit(ctx, s.area.Stream, owner)
}

// Owned returns an item that the caller may change because it is its owner. It returns ErrForeign for an item that the
// caller may only read, and otherwise lifecycle.ErrNotFound.
func (s *Items[I]) Owned(ctx context.Context, id string, caller web.Caller) (I, error) {
	item, err := s.area.Find(ctx, id)
	if err != nil {
		return item, err
	}
	switch owner := s.Upload(item).Owner; {
	case owner == caller.Owner:
		return item, nil
	case s.area.Readable && caller.MaySee(owner):
		return item, ErrForeign
	}
	return item, lifecycle.ErrNotFound
}

// Seen returns an item that the caller may read. It returns lifecycle.ErrNotFound for others.
func (s *Items[I]) Seen(ctx context.Context, id string, caller web.Caller) (I, error) {
	item, err := s.Owned(ctx, id, caller)
	if errors.Is(err, ErrForeign) {
		err = nil
	}
	return item, err
}

// Visible returns nil if the caller may read an item, and otherwise lifecycle.ErrNotFound.
func (s *Items[I]) Visible(ctx context.Context, caller web.Caller, id string) error {
	_, err := s.Seen(ctx, id, caller)
	return err
}

// Uploaded confirms the upload of an object that a bucket has reported. It deletes an object that was uploaded after its
// item was deleted, and leaves any other object without an item to the sweep. It ignores an object that does not match the
// reservation: the client's own call returns the reason.
func (s *Items[I]) Uploaded(ctx context.Context, o blob.Object) (mine bool, err error) {
	id, mine := s.area.Owns(o)
	if !mine || id == "" {
		return mine, nil
	}
	item, err := s.area.Find(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return true, s.late(ctx, id, o)
	}
	if err != nil {
		return true, err
	}
	u := s.Upload(item)
	if u.Key != o.Key {
		return true, nil
	}
	if err = s.Confirm(ctx, u); upload.Absent(err) {
		return true, nil
	}
	return true, err
}

// late deletes an object if its item was deleted while it could still be uploaded.
func (s *Items[I]) late(ctx context.Context, id string, o blob.Object) error {
	exists := func(ctx context.Context) (bool, error) {
		_, err := s.area.Find(ctx, id)
		if errors.Is(err, lifecycle.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	return s.Withdrawn.Clear(ctx, s.area.Name, id, exists, func(ctx context.Context) error { return s.Bucket.Delete(ctx, o.Key) })
}

// complete joins the parts of an item that waits for its upload in parts, if a client reports the id of that upload.
func (s *Items[I]) complete(ctx context.Context, item I, uploadID string) error {
	u := s.Upload(item)
	if uploadID == "" || u.State != upload.Waiting {
		return nil
	}
	f, err := waiting(u)
	if err != nil {
		return err
	}
	if err := s.Parts.Complete(ctx, f, uploadID); err != nil {
		return err
	}
	return s.Quotas.Joined(ctx, u.Owner, u.Area, u.ID)
}

// waiting returns an item that waits for its upload, for an upload in parts. It returns blob.ErrNoUpload for other items
// and for those that are streamed through ingest.
func waiting(u upload.Item) (parts.File, error) {
	f := parts.File{Key: u.Key, Size: u.Size, Created: u.Created}
	if u.State != upload.Waiting || u.Size < 0 {
		return f, blob.ErrNoUpload
	}
	return f, nil
}

// undoWait is the timeout of the cleanup after a client has disconnected.
const undoWait = 10 * time.Second

// undo deletes the item and the content of a failed upload, even if the client has disconnected. It
// must not be called for an upload with an idempotency key, because a repeated call may already be
// uploading the same item.
func (s *Items[I]) undo(ctx context.Context, item I) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWait)
	defer cancel()
	if _, err := s.Remove(ctx, item); err != nil && !errors.Is(err, lifecycle.ErrFenceLost) {
		s.Log.Warn().Err(err).Str("id", s.Upload(item).ID).Msg("cannot clean up after a failed upload")
	}
}
