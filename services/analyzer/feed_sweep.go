package analyzer

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// What a sweep finds of the feed besides orphaned work, untold outcomes and broken items.
const (
	strayText  = "text without an item"         // deleted: nobody was told that it was accepted
	doubleItem = "item with several rows"       // the first stays, with the tags of all
	noLetter   = "given up, and no dead letter" // the letter is written anew, for an operator to replay
)

// feedSweep searches the items and their texts for what no message will move.
type feedSweep struct {
	*feedItems
	lease   time.Duration // younger items may have a worker or a client at work
	expires time.Duration // the grace of texts without items

	// letters is, in a run, when items were given up of which there are dead letters.
	letters func() (map[string]time.Time, error)
}

func (f *feedItems) sweepArea(cfg Config) sweeper.Area {
	s := &feedSweep{feedItems: f, lease: cfg.Lease, expires: cfg.ReservationExpires}
	return sweeper.Area{Name: event.AreaFeed, Sweep: s.sweep}
}

func (f *feedSweep) sweep(ctx context.Context, r *sweeper.Run) error {
	run := *f
	run.letters = sync.OnceValues(func() (map[string]time.Time, error) { return f.readLetters(ctx, r.OutcomesSince) })
	f = &run
	rows := r.Walk(ctx, "rows", func(ctx context.Context, cursor string) (string, int, error) { return f.rows(ctx, r, cursor) })
	return errors.Join(rows,
		r.Walk(ctx, "texts", func(ctx context.Context, cursor string) (string, int, error) { return f.texts(ctx, r, cursor) }))
}

// rows looks at a page of the primary table.
func (f *feedSweep) rows(ctx context.Context, r *sweeper.Run, cursor string) (next string, read int, err error) {
	page, err := f.store.Scan(ctx, cursor, feed.ScanLimit)
	if err != nil {
		return "", 0, err
	}
	for _, broken := range page.Broken {
		r.Found(ctx, brokenItem, broken.ID, func(context.Context) error { return broken.Err })
	}
	for _, id := range page.Double {
		r.Found(ctx, doubleItem, id, func(ctx context.Context) error { return f.store.Merge(ctx, id) })
	}
	read = len(page.Items) + len(page.Double) + len(page.Broken)
	for _, item := range page.Items {
		looked, err := f.row(ctx, r, item)
		if err != nil {
			return "", 0, err
		}
		if looked {
			read += 3 // its message, its row, its text
		}
	}
	return page.Next, read, nil
}

// row decides by the scanned item whether to look closer, and if so what is wrong.
func (f *feedSweep) row(ctx context.Context, r *sweeper.Run, item feed.Item) (looked bool, err error) {
	if item.Settled() {
		return false, f.settled(ctx, r, item)
	}
	at, err := item.Ingested()
	if err != nil || r.Now.Sub(at) < f.lease {
		return false, err
	}
	return true, f.stuck(ctx, r, item.SourceID, item.SourceType)
}

// settled tells an outcome again, where that is asked for.
func (f *feedSweep) settled(ctx context.Context, r *sweeper.Run, item feed.Item) error {
	e, err := f.outcome(item)
	if err != nil {
		r.Found(ctx, brokenItem, item.SourceID, func(context.Context) error { return err })
		return nil
	}
	if r.OutcomesSince.IsZero() || e.Time.Before(r.OutcomesSince) {
		return nil
	}
	r.Found(ctx, untoldOutcome, item.SourceID, func(ctx context.Context) error { return f.bus.Republish(ctx, e) })
	if !item.GivenUp() || r.Now.Sub(e.Time) < f.lease { // the worker may be writing the letter
		return nil
	}
	return f.letter(ctx, r, item, e.Time)
}

// letter writes the dead letter anew of an item that was given up, without which
// nobody could have it tried again. Only where outcomes are told again: an operator
// who dropped a letter is not to have it back with every sweep.
func (f *feedSweep) letter(ctx context.Context, r *sweeper.Run, item feed.Item, failed time.Time) error {
	letters, err := f.letters()
	if err != nil {
		return err
	}
	if last, there := letters[item.SourceID]; there && !last.Before(failed) {
		return nil
	}
	r.Found(ctx, noLetter, item.SourceID, func(ctx context.Context) error {
		e, err := item.Accepted(f.bucket.Bucket)
		if err != nil {
			return err
		}
		return f.bus.Bury(ctx, consumerFeed, e, item.ErrorMessage, failed)
	})
	return nil
}

// readLetters costs a request for each letter.
func (f *feedSweep) readLetters(ctx context.Context, since time.Time) (map[string]time.Time, error) {
	letters := map[string]time.Time{}
	for letter, err := range f.bus.DeadLetters(ctx, bus.DeadFilter{Consumer: consumerFeed, From: since}) {
		if err != nil {
			return nil, err
		}
		if letter.Last.After(letters[letter.Item]) {
			letters[letter.Item] = letter.Last
		}
	}
	return letters, nil
}

// stuck looks at an item that is pending for longer than a lease. The message
// first: while there is one, a worker has the item or will get it. Where the text
// is gone, the message is published all the same: the analysis then says so.
func (f *feedSweep) stuck(ctx context.Context, r *sweeper.Run, id, sourceType string) error {
	waits, err := f.bus.Outstanding(ctx, event.AcceptedOf(id), sourceType)
	if err != nil || waits {
		return err
	}
	item, err := f.store.Get(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && item.Settled() {
		return nil // it moved on since it was scanned
	}
	if err != nil {
		return err
	}
	// The item's own time may be a client's, long before it came in.
	text, err := f.bucket.Head(ctx, feed.TextKey(id))
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if err == nil && r.Now.Sub(text.Modified) < f.lease {
		return nil
	}
	r.Found(ctx, orphaned, id, func(ctx context.Context) error {
		e, err := item.Accepted(f.bucket.Bucket)
		if err != nil {
			return err
		}
		if err := f.bus.Publish(ctx, e); !errors.Is(err, bus.ErrOutstanding) {
			return err
		}
		return nil
	})
	return nil
}

// texts looks at a page of the bucket. The cursor is the last key.
func (f *feedSweep) texts(ctx context.Context, r *sweeper.Run, cursor string) (next string, read int, err error) {
	objects, more, err := f.bucket.List(ctx, feed.ObjectPrefix, cursor, feed.ScanLimit)
	if err != nil {
		return "", 0, err
	}
	var ids []string
	for _, object := range objects {
		if id, err := feed.ParseTextKey(object.Key); err == nil && r.Now.Sub(object.Modified) >= f.expires {
			ids = append(ids, id)
		}
	}
	stray, err := f.store.Missing(ctx, ids)
	if err != nil {
		return "", 0, err
	}
	for i, id := range stray {
		stray[i] = feed.TextKey(id)
	}
	removeStrays(ctx, r, strayText, stray, len(objects), f.removeText)
	if more {
		next = objects[len(objects)-1].Key
	}
	return next, len(objects) + len(ids), nil
}

// removeText deletes the text of an item that never came to be. A client that
// tries again in this moment may have joined it: then the text is put back. (The
// other order is ingest's: it puts the text back after it wrote the row.)
func (f *feedSweep) removeText(ctx context.Context, key string) error {
	id, err := feed.ParseTextKey(key)
	if err != nil {
		return err
	}
	object, err := f.bucket.Head(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // another sweep was here
	}
	if err != nil {
		return err
	}
	text, err := f.read(ctx, key)
	if err != nil {
		return err
	}
	if err := f.bucket.Delete(ctx, key); err != nil {
		return err
	}
	_, err = f.store.Get(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	_, restored := f.bucket.Put(ctx, key, object.ContentType, object.Metadata, strings.NewReader(text))
	if errors.Is(restored, blob.ErrExists) {
		restored = nil
	}
	return errors.Join(err, restored)
}
