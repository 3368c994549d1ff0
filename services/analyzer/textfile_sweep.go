package analyzer

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/textfile/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// What a sweep finds of text files, as reports and metrics name it.
const (
	unnoticed     = "upload that nobody noticed"      // published
	orphaned      = "work whose message is lost"      // published again
	otherBytes    = "bytes that are not as reserved"  // ends as FAILED
	unused        = "reservation that was never used" // removed: nothing was promised
	itemsApart    = "list and file apart"             // the list is brought to what the file says
	strayBytes    = "bytes without a file"            // deleted, see removeStrays
	untoldOutcome = "outcome to tell again"           // published unless it is the newest
	brokenItem    = "item that cannot be read"        // left for a person
)

// textSweep searches the files and the bucket for what no message will move.
type textSweep struct {
	*textFiles
	uploads *upload.Uploads
	lease   time.Duration // younger states may have a worker or a client at work
	expires time.Duration // of reservations, and the grace of bytes without rows
}

func (t *textFiles) sweepArea(cfg Config, uploads *upload.Uploads) sweeper.Area {
	s := &textSweep{textFiles: t, uploads: uploads, lease: cfg.Lease, expires: cfg.ReservationExpires}
	return sweeper.Area{Name: event.AreaTextFile, Sweep: s.sweep}
}

func (t *textSweep) sweep(ctx context.Context, r *sweeper.Run) error {
	rows := r.Walk(ctx, "rows", func(ctx context.Context, cursor string) (string, int, error) { return t.rows(ctx, r, cursor) })
	return errors.Join(rows,
		r.Walk(ctx, "bytes", func(ctx context.Context, cursor string) (string, int, error) { return t.bytes(ctx, r, cursor) }))
}

// rows looks at a page of the table.
func (t *textSweep) rows(ctx context.Context, r *sweeper.Run, cursor string) (next string, read int, err error) {
	page, err := t.store.Scan(ctx, cursor, textfile.ScanLimit)
	if err != nil {
		return "", 0, err
	}
	apart, err := t.store.Apart(ctx, page)
	if err != nil {
		return "", 0, err
	}
	for _, pair := range apart {
		r.Found(ctx, itemsApart, pairID(pair), func(ctx context.Context) error { return t.store.Mend(ctx, pair) })
	}
	for _, broken := range page.Broken {
		r.Found(ctx, brokenItem, broken.Key, func(context.Context) error { return broken.Err })
	}
	read = 2 * page.Items // the counterpart of each item was read too
	for _, file := range page.Files {
		looked, err := t.row(ctx, r, file)
		if err != nil {
			return "", 0, err
		}
		if looked {
			read += 3 // its message, its item, its bytes
		}
	}
	return page.Next, read, nil
}

func pairID(p textfile.Pair) string {
	if p.Meta != nil {
		return p.Meta.FileID
	}
	return p.History.FileID
}

// row decides by the scanned item whether to look closer, and if so what is wrong.
func (t *textSweep) row(ctx context.Context, r *sweeper.Run, file textfile.File) (looked bool, err error) {
	switch {
	case file.Final():
		if !r.OutcomesSince.IsZero() && !file.Updated().Before(r.OutcomesSince) {
			r.Found(ctx, untoldOutcome, file.FileID, func(ctx context.Context) error { return t.bus.Republish(ctx, outcome(file)) })
		}
		return false, nil
	case r.Now.Sub(file.Updated()) < t.lease:
		return false, nil
	}
	return true, t.stuck(ctx, r, file.FileID, file.OwnerID)
}

// stuck looks at a file that has been in one state for longer than a lease. The
// message first: while there is one, a worker has the file or will get it.
func (t *textSweep) stuck(ctx context.Context, r *sweeper.Run, fileID, ownerID string) error {
	waits, err := t.bus.Outstanding(ctx, event.UploadedOf(fileID), ownerID)
	if err != nil || waits {
		return err
	}
	file, err := t.store.Get(ctx, fileID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err != nil:
		return err
	case file.Final(), r.Now.Sub(file.Updated()) < t.lease:
		return nil // it moved on since it was scanned
	case file.Status == textfile.InProgress, file.Retried():
		// Accepted before, so that it ends as FAILED where its bytes are gone.
		r.Found(ctx, orphaned, file.FileID, func(ctx context.Context) error { return t.uploads.Resend(ctx, file) })
		return nil
	}
	return t.pending(ctx, r, file)
}

// pending looks at a reservation of which no message tells.
func (t *textSweep) pending(ctx context.Context, r *sweeper.Run, file textfile.File) error {
	err := t.uploads.Check(ctx, file)
	switch {
	case err == nil:
		r.Found(ctx, unnoticed, file.FileID, func(ctx context.Context) error {
			_, err := t.uploads.Confirm(ctx, file)
			return err
		})
	case errors.Is(err, upload.ErrOtherBytes):
		r.Found(ctx, otherBytes, file.FileID, func(ctx context.Context) error {
			failed, err := t.store.Fail(ctx, file, err.Error())
			if err != nil {
				return err
			}
			return t.announce(ctx, failed)
		})
	case !errors.Is(err, upload.ErrNoBytes):
		return err
	case r.Now.Sub(file.Created()) >= t.expires:
		r.Found(ctx, unused, file.FileID, func(ctx context.Context) error { return t.store.Expire(ctx, file) })
	}
	return nil
}

// bytes looks at a page of the bucket. The cursor is the last key.
func (t *textSweep) bytes(ctx context.Context, r *sweeper.Run, cursor string) (next string, read int, err error) {
	objects, more, err := t.bucket.List(ctx, textfile.ObjectPrefix, cursor, textfile.ScanLimit)
	if err != nil {
		return "", 0, err
	}
	var ids []string
	seen := map[string]bool{} // one request must not ask twice for one key
	for _, object := range objects {
		if id, _, err := textfile.ParseObjectKey(object.Key); err == nil && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	keys, err := t.store.Keys(ctx, ids)
	if err != nil {
		return "", 0, err
	}
	var stray []string
	for _, object := range objects {
		id, _, err := textfile.ParseObjectKey(object.Key)
		key, there := keys[id]
		if err == nil && key != object.Key && (key != "" || !there) && r.Now.Sub(object.Modified) >= t.expires {
			stray = append(stray, object.Key)
		}
	}
	removeStrays(ctx, r, strayBytes, stray, len(objects), t.bucket.Delete)
	if more {
		next = objects[len(objects)-1].Key
	}
	return next, len(objects) + len(ids), nil
}
