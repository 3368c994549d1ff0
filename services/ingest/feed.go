package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
)

// feedItems takes items of the feed in.
type feedItems struct {
	store  *feed.Store
	bucket *blob.Store
	bus    *bus.Bus
	log    zerolog.Logger
	// accepting bounds the bytes of the items that are accepted at once.
	accepting *semaphore.Weighted
}

func newFeedItems(cfg Config, engines *engine.Engines, log zerolog.Logger) *feedItems {
	return &feedItems{
		store:  feed.NewStore(engines.DB, cfg.Feed),
		bucket: engines.Bucket, bus: engines.Bus, log: log, accepting: semaphore.NewWeighted(acceptBytes),
	}
}

// metaIngestedAt is where an item's text carries the time that is the sort key
// of its row.
const metaIngestedAt = "ingested-at"

// accept stores an item that was checked and publishes FeedItemAccepted while it
// is pending, unless its analysis was given up. A source id that is there already
// gets the tags it does not have, and created is false. It returns bus.ErrFull,
// bus.ErrFlowFull or bus.ErrSilent.
//
// The row's key holds a time, so that the table alone cannot tell a duplicate.
// The object's key does not: of all writers one stores the text, and all write
// the row under the time that the text carries. A writer that dies in between is
// made good by the next one of the same source id, here or in a retry; so is an
// item whose text was lost.
func (f *feedItems) accept(ctx context.Context, s feed.Submission) (item feed.Item, created bool, err error) {
	if err := f.bus.Admit(ctx, s.SourceType); err != nil {
		return feed.Item{}, false, err
	}
	item = s.Item(time.Now())
	err = f.keep(ctx, item, s.Text)
	switch {
	case errors.Is(err, blob.ErrExists):
		item, created, err = f.join(ctx, item)
	case err == nil:
		item, created, err = f.begin(ctx, item)
	}
	if err == nil && !created {
		item, err = f.store.AddTags(ctx, item, s.MatchedTags)
	}
	if err != nil {
		return feed.Item{}, false, err
	}
	if !item.Settled() {
		err = f.announce(ctx, item)
	}
	return item, created, err
}

// begin writes the row of an item whose text was just stored. A row that is there
// had lost its text: then this one is its text, under the time that the row has.
// The row must be looked for after the text is stored, since until then another may
// be about to write one.
func (f *feedItems) begin(ctx context.Context, item feed.Item) (feed.Item, bool, error) {
	stored, err := f.store.Get(ctx, item.SourceID)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return f.store.Create(ctx, item)
	}
	if err == nil && stored.Status == feed.Pending && (stored.GivenUp() || stored.TextSnippet != item.TextSnippet) {
		stored, err = f.renew(ctx, stored, item.TextSnippet)
	}
	return stored, false, err
}

// renew makes good a pending item that had lost its text, also one that was given
// up for that.
func (f *feedItems) renew(ctx context.Context, lost feed.Item, snippet string) (feed.Item, error) {
	item, err := f.store.Renew(ctx, lost, snippet)
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved {
		return f.store.Get(ctx, lost.SourceID) // analyzed meanwhile, by the text that came
	}
	if err == nil && lost.GivenUp() {
		err = f.announce(ctx, lost)
	}
	return item, err
}

// join returns the item whose text is stored already. When its row is not there
// yet, it is written with that text's time and snippet.
func (f *feedItems) join(ctx context.Context, item feed.Item) (feed.Item, bool, error) {
	stored, err := f.store.Get(ctx, item.SourceID)
	if !errors.Is(err, lifecycle.ErrNotFound) {
		return stored, false, err
	}
	key := feed.TextKey(item.SourceID)
	object, err := f.bucket.Head(ctx, key)
	if err != nil {
		return feed.Item{}, false, err
	}
	item.IngestedAt = object.Metadata[metaIngestedAt]
	if _, err := item.Ingested(); err != nil {
		return feed.Item{}, false, fmt.Errorf("the object %s carries no time: %w", key, err)
	}
	body, err := f.bucket.Open(ctx, key, object.ETag)
	if err != nil {
		return feed.Item{}, false, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return feed.Item{}, false, fmt.Errorf("read %s: %w", key, err)
	}
	item.TextSnippet = feed.Snippet(string(text))
	item, created, err := f.store.Create(ctx, item)
	if err != nil {
		return feed.Item{}, false, err
	}
	// A sweep that saw no row may have taken the text away.
	if err := f.keep(ctx, item, string(text)); err != nil && !errors.Is(err, blob.ErrExists) {
		return feed.Item{}, false, err
	}
	return item, created, nil
}

// keep stores the text of an item. It returns blob.ErrExists when there is one.
func (f *feedItems) keep(ctx context.Context, item feed.Item, text string) error {
	_, err := f.bucket.Put(ctx, feed.TextKey(item.SourceID), "text/plain; charset=utf-8",
		map[string]string{metaIngestedAt: item.IngestedAt}, strings.NewReader(text))
	return err
}

// announce publishes that an item waits. That it waits already is as good.
func (f *feedItems) announce(ctx context.Context, item feed.Item) error {
	accepted, err := item.Accepted(f.bucket.Bucket)
	if err == nil {
		err = f.bus.Publish(ctx, accepted)
	}
	if err != nil && !errors.Is(err, bus.ErrOutstanding) {
		return err
	}
	log := obs.Log(ctx, f.log)
	log.Info().Str("area", event.AreaFeed).Str("id", item.SourceID).Msg("item accepted")
	return nil
}
