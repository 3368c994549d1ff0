package linecount

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// sweep repairs items and deletes orphaned objects.
type sweep struct{ steps }

func (s sweep) Scan(ctx context.Context, _ *sweeper.Run, cursor string) ([]linecount.Item, string, int, error) {
	items, next, err := s.store.Scan(ctx, cursor)
	return items, next, len(items), err
}

func (sweep) ID(i linecount.Item) string { return i.ID }

func (sweep) Changed(i linecount.Item) (time.Time, error) { return i.Updated(), nil }

func (s sweep) Outstanding(ctx context.Context, i linecount.Item) (bool, error) {
	return s.bus.Outstanding(ctx, linecount.Uploaded+i.ID, i.OwnerID)
}

// Repair publishes the event of an uploaded text again, and deletes an old reservation without an upload.
func (s sweep) Repair(ctx context.Context, r *sweeper.Run, i linecount.Item) error {
	_, err := upload.Find(ctx, i.Upload(s.bucket))
	switch {
	case err == nil:
		r.Found(ctx, sweeper.LostMessage, i.ID, func(ctx context.Context) error { return s.uploads.Resend(ctx, i.Upload(s.bucket)) })
	case !upload.Absent(err):
		return err
	case r.Old(i.Created()):
		r.Found(ctx, "unused_reservation", i.ID, func(ctx context.Context) error { return s.store.Delete(ctx, i.ID) })
	}
	return nil
}

// Recover does nothing: a FAILED item can be retried without its dead letter.
func (sweep) Recover(context.Context, *sweeper.Run, linecount.Item, event.Event) error { return nil }

func (s sweep) List(ctx context.Context, cursor string) ([]blob.Object, bool, error) {
	return s.bucket.List(ctx, linecount.ObjectPrefix, cursor, blob.PageLimit)
}

func (s sweep) Orphans(ctx context.Context, r *sweeper.Run, objects []blob.Object) (found sweeper.Comparison, err error) {
	for _, object := range objects {
		id, _, mine := linecount.ParseObjectKey(object.Key)
		if !mine || !r.Old(object.Modified) {
			continue
		}
		found.Compared++
		found.Read++
		if _, err := s.store.Get(ctx, id); errors.Is(err, lifecycle.ErrNotFound) {
			found.Orphans = append(found.Orphans, object.Key)
		} else if err != nil {
			return found, err
		}
	}
	return found, nil
}

func (s sweep) Remove(ctx context.Context, key string) error { return s.bucket.Delete(ctx, key) }
