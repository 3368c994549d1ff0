package accept

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/outage"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Reservation is a request for new items, usually one. I is what it creates.
type Reservation[I any] struct {
	Owner string
	Key   string // the idempotency key, or ""
	// ID returns the id of the new item. For an idempotency key, it may be the same in every call.
	ID func(context.Context) (string, error)
	// Allow returns an error if no new item is accepted. It is nil if all are. The item of an earlier call is returned
	// nevertheless.
	Allow func(context.Context) error
	// Counted returns the items that count toward quotas.
	Counted func(id string) []quota.Item
	// Create writes the item. It returns lifecycle.ErrExists if the id, or the idempotency key, is used.
	Create func(ctx context.Context, id string) (I, error)
	// Find reads the item with an id. It returns lifecycle.ErrNotFound if there is none.
	Find func(ctx context.Context, id string) (I, error)
	// First reads the item that the first call with the idempotency key created. The default is Find.
	First func(ctx context.Context, id string) (I, error)
	// Same reports whether an earlier call for the item had the same parameters.
	Same func(item I) bool
}

// tries is the maximum number of attempts to reserve an item while items of earlier calls are being deleted.
const tries = 10

// Reserve creates the item of a reservation and counts it toward the quotas of its owner. For a used idempotency key, it
// returns the item of the first call, or ErrOtherRequest if the parameters differ. created reports whether this call created
// the item.
//
// If the request names a webhook endpoint of the owner, the items that count toward quotas, and the one with the id, name it too.
func Reserve[I any](ctx context.Context, shared Shared, r Reservation[I]) (item I, created bool, err error) {
	endpoint, err := shared.endpoint(ctx, r.Owner)
	if err != nil {
		return item, false, err
	}
	first := r.First
	if first == nil {
		first = r.Find
	}
	for range tries {
		id, err := r.ID(ctx)
		if err != nil {
			return item, false, err
		}
		counted, refused := r.count(ctx, shared.Quotas, id)
		if refused == nil {
			if err := r.name(ctx, shared, id, endpoint); err != nil {
				return item, false, err
			}
			if err := r.before(ctx, id); err != nil {
				return item, false, err
			}
			item, err := r.Create(ctx, id)
			if err == nil {
				return item, true, r.await(ctx, shared.Withdrawn, id)
			}
			r.giveBack(ctx, counted, id, err)
			if r.Key == "" || !errors.Is(err, lifecycle.ErrExists) {
				return item, false, err
			}
		} else if r.Key == "" {
			return item, false, refused
		}
		item, err = first(ctx, id)
		switch {
		case err == nil && !r.Same(item):
			return item, false, ErrOtherRequest
		case err == nil:
			return item, false, r.await(ctx, shared.Withdrawn, id)
		case !errors.Is(err, lifecycle.ErrNotFound):
			return item, false, err
		case refused != nil:
			return item, false, refused
		}
		// The item of the first call was deleted.
	}
	return item, false, lifecycle.ErrNotFound
}

// count counts a new item toward the quotas of its owner, if it is allowed.
func (r Reservation[I]) count(ctx context.Context, quotas *quota.Quotas, id string) (*quota.Reservation, error) {
	if r.Allow != nil {
		if err := r.Allow(ctx); err != nil {
			return nil, err
		}
	}
	return quotas.Reserve(ctx, r.Owner, r.Counted(id)...)
}

// await waits while content of deleted items with the ids of the reserved ones is being deleted. Only an idempotency key
// results in the same id again.
func (r Reservation[I]) await(ctx context.Context, items *withdrawn.Items, id string) error {
	if r.Key == "" {
		return nil
	}
	for _, item := range r.Counted(id) {
		if err := items.Await(ctx, item.Area, item.ID); err != nil {
			return err
		}
	}
	return nil
}

// giveBack returns the quota of an item that was not created, which is certain if the backend responded and no item has
// the id. Otherwise the next count of the items does.
func (r Reservation[I]) giveBack(ctx context.Context, counted *quota.Reservation, id string, err error) {
	if _, unknown := errors.AsType[*outage.Error](err); unknown || ctx.Err() != nil {
		return
	}
	if _, err := r.Find(ctx, id); errors.Is(err, lifecycle.ErrNotFound) {
		counted.Undo(ctx)
	}
}

// Open returns how a client uploads the content of a reserved item: with one request, or in parts.
func (s *Items[I]) Open(ctx context.Context, item I, created, inParts bool, terms blob.Terms) (parts.Reserved, error) {
	u := s.Upload(item)
	if inParts {
		f := parts.File{Key: u.Key, Size: terms.Size, ContentType: terms.ContentType, Created: u.Created}
		reserved, err := s.Parts.Open(ctx, f, u.Owner, !created)
		return reserved, s.Problem(err)
	}
	terms.Metadata, terms.Expires = upload.Metadata(ctx), s.Receiver.Expires
	signed, err := u.Bucket.PresignPut(ctx, u.Key, terms)
	return parts.OneRequest(signed), err
}
