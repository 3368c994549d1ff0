package textfile

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Codes of findings that are specific to text files.
const (
	unnotifiedUpload  = "unnotified_upload"  // an uploaded object without a notification; the event is published
	mismatchedObject  = "mismatched_object"  // an object whose length differs from the reservation; the file becomes FAILED
	unusedReservation = "unused_reservation" // an old reservation without an upload; deleted
)

// Findings returns the codes of findings besides those of package sweeper.
func (a *Area) Findings() []string {
	return []string{unnotifiedUpload, mismatchedObject, unusedReservation}
}

// unknownFiles are entries in the list of an owner without the file itself.
var unknownFiles = sweeper.Orphans{Found: sweeper.InconsistentCopies, Text: "entries in lists of files have no file"}

// sweep repairs files and deletes orphaned objects.
type sweep struct {
	steps
	counting *sweeper.Counting
}

func (s sweep) Scan(ctx context.Context, r *sweeper.Run, cursor string) (files []textfile.File, next string, read int, err error) {
	page, err := s.store.Scan(ctx, cursor, textfile.ScanLimit)
	if err != nil {
		return nil, "", 0, err
	}
	inconsistent, err := s.store.Inconsistent(ctx, page)
	if err != nil {
		return nil, "", 0, err
	}
	r.Compared(unknownFiles, len(page.Listed))
	for _, pair := range inconsistent {
		if pair.Meta == nil {
			r.Orphan(unknownFiles, pairID(pair), nil, func(ctx context.Context) error { return s.store.Repair(ctx, pair) })
			continue
		}
		r.Found(ctx, sweeper.InconsistentCopies, pairID(pair), func(ctx context.Context) error { return s.store.Repair(ctx, pair) })
	}
	for _, broken := range page.Broken {
		r.Found(ctx, sweeper.UnreadableItem, broken.Key, func(context.Context) error { return broken.Err })
	}
	if err := s.counting.Items(ctx, r, s.countable(page.Files)); err != nil {
		return nil, "", 0, err
	}
	return page.Files, page.Next, page.Items + len(page.Files) + len(page.Listed), nil // both items of each file were read
}

// countable returns the files for counting toward quotas. A file that was streamed through ingest has no stored
// length.
func (s sweep) countable(files []textfile.File) []sweeper.Countable {
	all := make([]sweeper.Countable, len(files))
	for i, f := range files {
		all[i] = sweeper.Countable{ID: quota.ID{Owner: f.OwnerID, ID: f.FileID}, Bytes: -1, Created: f.Created()}
		if _, size, err := textfile.ParseObjectKey(f.S3Key); err == nil && size >= 0 {
			all[i].Bytes = size
			continue
		}
		all[i].Size = func(ctx context.Context) (int64, error) {
			object, err := s.bucket.Head(ctx, f.S3Key)
			if errors.Is(err, blob.ErrNotFound) {
				err = nil
			}
			return object.Size, err
		}
	}
	return all
}

// exist returns the ids of the files that exist.
func (a *Area) exist(ctx context.Context, ids []string) (map[string]bool, error) {
	keys, err := a.store.Keys(ctx, ids)
	found := make(map[string]bool, len(keys))
	for id := range keys {
		found[id] = true
	}
	return found, err
}

func pairID(p textfile.Pair) string {
	if p.Meta != nil {
		return p.Meta.FileID
	}
	return p.History.FileID
}

func (sweep) ID(f textfile.File) string { return f.FileID }

func (sweep) Changed(f textfile.File) (time.Time, error) { return f.Updated(), nil }

func (s sweep) Outstanding(ctx context.Context, f textfile.File) (bool, error) {
	return s.bus.Outstanding(ctx, textfile.UploadedSubject(f.FileID), f.OwnerID)
}

// Recover does nothing: a FAILED file can be retried without its dead letter.
func (sweep) Recover(context.Context, *sweeper.Run, textfile.File, event.Event) error { return nil }

func (s sweep) Repair(ctx context.Context, r *sweeper.Run, f textfile.File) error {
	if f.Status == textfile.InProgress || f.Retried() {
		// The upload was accepted before, so the file becomes FAILED if its object is missing.
		r.Found(ctx, sweeper.LostMessage, f.FileID, func(ctx context.Context) error { return s.uploads.Resend(ctx, f.Upload(s.bucket)) })
		return nil
	}
	_, err := upload.Find(ctx, f.Upload(s.bucket))
	switch {
	case err == nil:
		r.Found(ctx, unnotifiedUpload, f.FileID, func(ctx context.Context) error {
			return s.uploads.Confirm(ctx, f.Upload(s.bucket))
		})
	case errors.Is(err, upload.ErrOtherBytes):
		r.Found(ctx, mismatchedObject, f.FileID, func(ctx context.Context) error {
			failed, err := s.store.Fail(ctx, f, reason.Of(err))
			if err != nil {
				return err
			}
			return s.worker.Announce(ctx, s.Name(), outcome(failed))
		})
	case !errors.Is(err, upload.ErrNoBytes):
		return err
	case r.Old(f.Created()):
		r.Found(ctx, unusedReservation, f.FileID, func(ctx context.Context) error {
			if err := s.store.Expire(ctx, f); err != nil {
				return err
			}
			return s.quotas.Erased(ctx, f.OwnerID, textfile.Name, f.FileID)
		})
	}
	return nil
}

func (s sweep) List(ctx context.Context, cursor string) ([]blob.Object, bool, error) {
	return s.bucket.List(ctx, textfile.ObjectPrefix, cursor, blob.PageLimit)
}

func (s sweep) Orphans(ctx context.Context, r *sweeper.Run, objects []blob.Object) (found sweeper.Comparison, err error) {
	var ids []string
	seen := map[string]bool{} // a request must not contain a key twice
	for _, object := range objects {
		if id, _, err := textfile.ParseObjectKey(object.Key); err == nil && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	keys, err := s.store.Keys(ctx, ids)
	if err != nil {
		return found, err
	}
	found.Read = len(ids)
	for _, object := range objects {
		id, _, err := textfile.ParseObjectKey(object.Key)
		if err != nil || !r.Old(object.Modified) {
			continue // not an object of this area, or a recent one
		}
		found.Compared++
		if key, exists := keys[id]; key != object.Key && (key != "" || !exists) {
			found.Orphans = append(found.Orphans, object.Key)
		}
	}
	return found, nil
}

func (s sweep) Remove(ctx context.Context, key string) error { return s.bucket.Delete(ctx, key) }
