package feed

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Codes of findings that are specific to feed items.
const (
	duplicateRows  = "duplicate_rows"   // several rows of one source id; the first one is retained, with the tags of all
	lostDeadLetter = "lost_dead_letter" // a failed item without a dead letter; the dead letter is restored, so that an operator can replay it
)

// Findings returns the codes of findings besides those of package sweeper.
func (a *Area) Findings() []string {
	return []string{duplicateRows, lostDeadLetter}
}

// sweep repairs items and deletes orphaned texts.
type sweep struct {
	steps
	counting *sweeper.Counting
	// deadLetters returns the failure times of items with dead letters. It reads them once per run.
	deadLetters func() (map[string]time.Time, error)
}

func newSweep(ctx context.Context, a *Area, r *sweeper.Run) sweep {
	s := sweep{steps: steps{a}, counting: &sweeper.Counting{Quotas: a.quotas, Area: feed.Name, Exist: a.exist}}
	s.deadLetters = sync.OnceValues(func() (map[string]time.Time, error) { return s.readDeadLetters(ctx, r.OutcomesSince) })
	return s
}

func (s sweep) Scan(ctx context.Context, r *sweeper.Run, cursor string) (items []feed.Item, next string, read int, err error) {
	page, err := s.store.Scan(ctx, cursor, feed.ScanLimit)
	if err != nil {
		return nil, "", 0, err
	}
	for _, broken := range page.Broken {
		r.Found(ctx, sweeper.UnreadableItem, broken.ID, func(context.Context) error { return broken.Err })
	}
	for _, id := range page.Double {
		r.Found(ctx, duplicateRows, id, func(ctx context.Context) error { return s.store.Merge(ctx, id) })
	}
	if err := s.counting.Items(ctx, r, s.countable(page.Items)); err != nil {
		return nil, "", 0, err
	}
	return page.Items, page.Next, len(page.Items) + len(page.Double) + len(page.Broken), nil
}

// countable returns the items for counting toward the quotas of their senders. The size of an uncounted item is that of
// its stored submission.
func (s sweep) countable(items []feed.Item) []sweeper.Countable {
	var all []sweeper.Countable
	for _, i := range items {
		at, err := i.Ingested()
		if err != nil || i.Sender == "" {
			continue
		}
		all = append(all, sweeper.Countable{
			ID: quota.ID{Owner: i.Sender, ID: i.SourceID}, Bytes: -1, Created: at,
			Size: func(ctx context.Context) (int64, error) {
				text, err := s.bucket.Head(ctx, feed.TextKey(i.SourceID))
				if errors.Is(err, blob.ErrNotFound) {
					err = nil
				}
				return text.Size, err
			},
		})
	}
	return all
}

// exist returns the source ids whose items exist.
func (a *Area) exist(ctx context.Context, ids []string) (map[string]bool, error) {
	missing, err := a.store.Missing(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]bool, len(ids))
	for _, id := range ids {
		found[id] = !slices.Contains(missing, id)
	}
	return found, nil
}

func (sweep) ID(i feed.Item) string { return i.SourceID }

func (sweep) Changed(i feed.Item) (time.Time, error) { return i.Ingested() }

func (s sweep) Outstanding(ctx context.Context, i feed.Item) (bool, error) {
	return s.bus.Outstanding(ctx, feed.AcceptedSubject(i.SourceID), i.Tenant())
}

// Recover restores the dead letter of a failed item, which cannot be replayed without it. Periodic
// sweeps do not call it: a dead letter that an operator deleted must not reappear.
func (s sweep) Recover(ctx context.Context, r *sweeper.Run, i feed.Item, outcome event.Event) error {
	if !i.GivenUp() || !reason.Fault(i.ErrorMessage) || r.Young(outcome.Time) { // the worker may be storing the dead letter
		return nil
	}
	dead, err := s.deadLetters()
	if err != nil {
		return err
	}
	if last, exists := dead[i.SourceID]; exists && !last.Before(outcome.Time) {
		return nil
	}
	r.Found(ctx, lostDeadLetter, i.SourceID, func(ctx context.Context) error {
		e, err := i.Accepted(s.bucket.Bucket)
		if err != nil {
			return err
		}
		return s.bus.RestoreDeadLetter(ctx, feed.Consumer, e, bus.Failure{Reason: i.ErrorMessage, Class: reason.Class(i.ErrorMessage), At: outcome.Time})
	})
	return nil
}

// readDeadLetters makes one request for each dead letter.
func (s sweep) readDeadLetters(ctx context.Context, since time.Time) (map[string]time.Time, error) {
	dead := map[string]time.Time{}
	for deadLetter, err := range s.bus.DeadLetters(ctx, bus.DeadFilter{Consumer: feed.Consumer, From: since}) {
		if err != nil {
			return nil, err
		}
		if deadLetter.Last.After(dead[deadLetter.Item]) {
			dead[deadLetter.Item] = deadLetter.Last
		}
	}
	return dead, nil
}

// Repair publishes the item's work event again, even if the text is missing: the analysis then
// fails with that reason.
func (s sweep) Repair(ctx context.Context, r *sweeper.Run, i feed.Item) error {
	// The age of the item does not show when it was accepted, because clients may set an item's time.
	text, err := s.bucket.Head(ctx, feed.TextKey(i.SourceID))
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if err == nil && r.Young(text.Modified) {
		return nil
	}
	r.Found(ctx, sweeper.LostMessage, i.SourceID, func(ctx context.Context) error {
		e, err := i.Accepted(s.bucket.Bucket)
		if err != nil {
			return err
		}
		if err := s.bus.Publish(ctx, e); !errors.Is(err, bus.ErrOutstanding) {
			return err
		}
		return nil
	})
	return nil
}

func (s sweep) List(ctx context.Context, cursor string) ([]blob.Object, bool, error) {
	return s.bucket.List(ctx, feed.ObjectPrefix, cursor, blob.PageLimit)
}

func (s sweep) Orphans(ctx context.Context, r *sweeper.Run, objects []blob.Object) (found sweeper.Comparison, err error) {
	var ids []string
	for _, object := range objects {
		if id, err := feed.ParseTextKey(object.Key); err == nil && r.Old(object.Modified) {
			ids = append(ids, id)
		}
	}
	missing, err := s.store.Missing(ctx, ids)
	if err != nil {
		return found, err
	}
	found.Compared, found.Read = len(ids), len(ids)
	for _, id := range missing {
		found.Orphans = append(found.Orphans, feed.TextKey(id))
	}
	return found, nil
}

// Remove deletes the submission of an item that was never created. If a client retries
// concurrently, ingest may have created the row after reading the submission; Remove then restores
// the submission. Ingest uses the opposite order: it stores the submission again after it has
// written the row.
func (s sweep) Remove(ctx context.Context, key string) error {
	id, err := feed.ParseTextKey(key)
	if err != nil {
		return err
	}
	document, err := s.bucket.Load(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // another sweep deleted it
	}
	if err != nil {
		return err
	}
	if err := s.bucket.Delete(ctx, key); err != nil {
		return err
	}
	_, err = s.store.Get(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	_, restored := s.bucket.Put(ctx, key, feed.DocumentType, nil, bytes.NewReader(document.Body))
	if errors.Is(restored, blob.ErrExists) {
		restored = nil
	}
	return errors.Join(err, restored)
}
