package feed

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"sync"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/tail"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxFound is the number of items that the search index keeps: the newest.
	maxFound = 1_000_000
	// reads is the maximum number of items read concurrently for one page.
	reads = 8
)

// source is the area as a source of its search index: the beginnings of the texts of the items that were analyzed within the
// retention of the dashboard. Everyone may see them.
type source struct {
	bus *bus.Bus
	log zerolog.Logger
}

var (
	_ search.Source = (*source)(nil)
	_ find.Area     = (*Area)(nil)
)

// Stream returns the stream of outcomes.
func (s *source) Stream() string { return bus.StreamOutcomes }

// Limits returns the limits of the index.
func (s *source) Limits() search.Limits {
	return search.Limits{Kind: search.KindMessage, Age: feed.Retention, Items: maxFound}
}

// Items iterates over the items of the events in the stream, which keeps them as long as the dashboard by default.
func (s *source) Items(ctx context.Context) iter.Seq2[search.Item, error] {
	return func(yield func(search.Item, error) bool) {
		oldest, newest, err := tail.Bounds(ctx, s.bus, s.Stream())
		if err != nil {
			yield(search.Item{}, err)
			return
		}
		if oldest > newest {
			return
		}
		events, err := tail.Open(ctx, s.bus, s.log, s.Stream(), max(oldest-1, newest-min(newest, maxFound)))
		if err != nil {
			yield(search.Item{}, err)
			return
		}
		defer events.Close()
		for {
			d, err := events.Next()
			if err != nil {
				yield(search.Item{}, err)
				return
			}
			item, ok, err := s.Decode(d)
			if err != nil {
				s.log.Error().Err(err).Str("subject", d.Subject).Msg("skipped an event that cannot be read")
			} else if ok && !yield(item, nil) {
				return
			}
			if d.Sequence >= newest {
				return
			}
		}
	}
}

// Decode returns the item of an outcome. An item whose analysis failed is not indexed: the event does not contain its text.
func (s *source) Decode(d bus.Delivery) (search.Item, bool, error) {
	e, ok, err := search.ReadEnded(d, feed.Name)
	if !ok || err != nil || e.Failed {
		return search.Item{}, false, err
	}
	i := e.Item(search.KindMessage)
	i.Name, i.Status, i.Finished, i.Public = e.Completed.GetTextSentiment().GetTextSnippet(), string(feed.Analyzed), false, true
	return i, true, nil
}

// Texts returns nothing: the text of an item is its name.
func (s *source) Texts(_ context.Context, runs []search.Pending) ([]search.Reading, error) {
	readings := make([]search.Reading, len(runs))
	for i, run := range runs {
		readings[i].Read = func(context.Context) (search.Text, error) { return search.Text{Pending: run}, nil }
	}
	return readings, nil
}

// Find returns the items that match.
func (a *Area) Find(ctx context.Context, q search.Query, _ web.Caller) (find.Page, error) {
	return find.Read(ctx, a.searcher, q, "", a.items, func(i feed.Item) (find.Hit, bool, error) {
		at, err := i.Ingested()
		return find.Hit{Name: i.TextSnippet, URL: "/v1/feed/items/" + url.PathEscape(i.SourceID), Status: string(i.Status), Created: at}, true, err
	})
}

// items returns the items with these ids that exist, by id.
func (a *Area) items(ctx context.Context, ids []string) (map[string]feed.Item, error) {
	var mu sync.Mutex
	items := map[string]feed.Item{}
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(reads)
	for _, id := range ids {
		group.Go(func() error {
			item, err := a.store.Get(reading, id)
			if errors.Is(err, lifecycle.ErrNotFound) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			items[id] = item
			return err
		})
	}
	return items, group.Wait()
}

// Indexed waits until the search index has an item.
func (a *Area) Indexed(ctx context.Context, id string, _ web.Caller) error {
	item, err := a.store.Get(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && item.Status != feed.Analyzed {
		return nil
	}
	if err != nil {
		return err
	}
	at, err := item.Analyzed()
	if err != nil {
		return err
	}
	return a.searcher.Await(ctx, search.Version{ID: item.SourceID, Version: at.UnixMilli()})
}
