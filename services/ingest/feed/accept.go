package feed

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/quota"
)

// accept stores a valid item and publishes FeedItemAccepted if the item is pending, unless its
// analysis was given up. It adds missing tags to an existing item; created is then false. accept
// returns the errors of Bus.Admit, and the problem of an exceeded quota. size is the item's size in bytes, which counts
// toward the quotas of its first sender.
//
// The row's key contains a time, so the table alone cannot detect a duplicate. The object's key does
// not contain a time: only one of several writers stores its submission, and all of them write the
// row from that submission. If a writer crashes before it writes the row, the next writer of the same
// source id writes it. The same applies to an item whose object was lost.
func (a *Area) accept(ctx context.Context, s feed.Submission, size int) (item feed.Item, created bool, err error) {
	if err := a.bus.Admit(ctx, feed.WorkStream, s.Tenant()); err != nil {
		return feed.Item{}, false, err
	}
	counted, err := a.count(ctx, s, size)
	if err != nil {
		return feed.Item{}, false, err
	}
	s = s.Stamped(time.Now())
	err = a.keep(ctx, s)
	switch {
	case errors.Is(err, blob.ErrExists):
		item, created, err = a.join(ctx, s)
		if err == nil {
			item, err = a.store.AddTags(ctx, item, s.MatchedTags)
		}
	case err == nil:
		item, created, err = a.begin(ctx, s)
	}
	if err != nil {
		return feed.Item{}, false, err // a sweep releases the quota if the item was not created
	}
	if item.Sender != s.Sender {
		counted.Undo(ctx)
	}
	if created {
		err = a.announceNew(ctx, item)
	} else if !item.Settled() {
		err = a.announce(ctx, item)
	}
	return item, created, err
}

// count counts a new item toward the quotas of its sender. The items of a source count toward no quota, because operators
// configure how many it delivers.
func (a *Area) count(ctx context.Context, s feed.Submission, size int) (*quota.Reservation, error) {
	if feed.FromSource(s.Sender) {
		return &quota.Reservation{}, nil
	}
	return a.quotas.Reserve(ctx, s.Sender, quota.Item{Area: feed.Name, ID: s.SourceID, Bytes: int64(size)})
}

// begin writes the row of a submission that was just stored. If a row exists, its object was lost;
// begin then keeps the row's time and replaces the other attributes with those of this submission.
// Call begin after the object is stored: until then, another writer may still create the row.
func (a *Area) begin(ctx context.Context, s feed.Submission) (item feed.Item, created bool, err error) {
	item, err = a.store.Get(ctx, s.SourceID)
	if errors.Is(err, lifecycle.ErrNotFound) {
		item, created, err = a.store.Create(ctx, a.item(s))
	}
	if err == nil && item.Status == feed.Pending && (item.GivenUp() || !item.IsOf(s)) {
		item, err = a.renew(ctx, item, s)
	}
	if err == nil && !created {
		item, err = a.store.AddTags(ctx, item, s.MatchedTags)
	}
	return item, created, err
}

// renew updates a pending item whose object was lost with the submission that replaced the object.
// This includes an item whose analysis was given up because the object was missing.
func (a *Area) renew(ctx context.Context, lost feed.Item, s feed.Submission) (feed.Item, error) {
	item, err := a.store.Renew(ctx, lost.Of(s))
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved || errors.Is(err, lifecycle.ErrFenceLost) {
		return a.store.Get(ctx, lost.SourceID) // analyzed concurrently
	}
	if err == nil && lost.GivenUp() {
		err = a.announce(ctx, lost)
	}
	return item, err
}

// join returns the item whose submission is already stored. It writes the row from that submission
// if there is no row, as an item of the sender of s.
func (a *Area) join(ctx context.Context, s feed.Submission) (feed.Item, bool, error) {
	sourceID := s.SourceID
	item, err := a.store.Get(ctx, sourceID)
	if !errors.Is(err, lifecycle.ErrNotFound) {
		return item, false, err
	}
	document, err := a.bucket.Load(ctx, feed.TextKey(sourceID))
	if err != nil {
		return feed.Item{}, false, err
	}
	stored, err := feed.ParseDocument(sourceID, document.Body)
	if err != nil {
		return feed.Item{}, false, err
	}
	stored.Sender = s.Sender
	item, created, err := a.store.Create(ctx, a.item(stored))
	if err != nil {
		return feed.Item{}, false, err
	}
	// A sweep that found no row may have deleted the object.
	if err := a.keep(ctx, stored); err != nil && !errors.Is(err, blob.ErrExists) {
		return feed.Item{}, false, err
	}
	return item, created, nil
}

// item returns the pending item for a newly accepted submission.
func (a *Area) item(s feed.Submission) feed.Item {
	now := time.Now()
	return s.Item(now).Expiring(now, a.itemTTL)
}

// remove deletes the submission of an item, then the item, so that a retry after a crash still finds
// both. The change stream updates the dashboard. An item that is posted concurrently may be deleted
// too.
func (a *Area) remove(ctx context.Context, sourceID string) error {
	item, err := a.store.Get(ctx, sourceID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return err
	}
	if err := a.bucket.Delete(ctx, feed.TextKey(sourceID)); err != nil {
		return err
	}
	if err := a.store.Delete(ctx, sourceID); err != nil || item.Sender == "" {
		return err
	}
	return a.quotas.Released(ctx, item.Sender, feed.Name, sourceID)
}

// keep stores a submission. It returns blob.ErrExists if a submission with its source id exists.
func (a *Area) keep(ctx context.Context, s feed.Submission) error {
	document, err := s.Document()
	if err != nil {
		return err
	}
	_, err = a.bucket.Put(ctx, feed.TextKey(s.SourceID), feed.DocumentType, nil, bytes.NewReader(document))
	return err
}

// announce publishes FeedItemAccepted for a pending item. It is not an error if the event is
// still outstanding.
func (a *Area) announce(ctx context.Context, item feed.Item) error {
	if err := a.publish(ctx, item); !errors.Is(err, bus.ErrOutstanding) {
		return err
	}
	return nil
}

const (
	outstandingPause = 50 * time.Millisecond
	outstandingWait  = 5 * time.Second
)

// announceNew is like announce for a new item. A deleted item with the same source id may have an event outstanding. If
// its worker has only to acknowledge that event, announceNew waits until the new one can be published. Otherwise the event
// is delivered later and processes the new item.
func (a *Area) announceNew(ctx context.Context, item feed.Item) error {
	ended := time.After(outstandingWait)
	for {
		err := a.publish(ctx, item)
		if !errors.Is(err, bus.ErrOutstanding) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return nil
		case <-time.After(outstandingPause):
		}
	}
}

func (a *Area) publish(ctx context.Context, item feed.Item) error {
	accepted, err := item.Accepted(a.bucket.Bucket)
	if err == nil {
		err = a.bus.Publish(ctx, accepted)
	}
	if err != nil {
		return err
	}
	log := obs.Log(ctx, a.log)
	log.Info().Str("area", feed.Name).Str("id", item.SourceID).Msg("item accepted")
	return nil
}
