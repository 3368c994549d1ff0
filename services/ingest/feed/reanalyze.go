package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
)

const (
	reanalysisRows     = 1000 // rows of the primary table that one call reads, rounded up to full pages
	reanalysisParallel = 16   // items that are moved concurrently
)

// reanalysis is the result of one call.
type reanalysis struct {
	outdated   map[string]int // number of items analyzed by an older model, by model version
	current    int            // number of items analyzed by the current model
	waiting    int            // number of items that are already waiting for analysis
	unreadable int
	next       string // cursor for the next call; empty after the last page
}

// reanalyze reads the next rows of the primary table, starting at a cursor. Unless dry is set, it
// moves the items that were ingested since a time and analyzed by an older model to pending, and
// publishes their events. The move is conditional on the analysis that was read, so calls may process
// the same rows again, even after a crash: an item that was moved but not announced is pending, and is
// then announced. reanalyze returns the errors of Bus.Admit, and table.ErrCursor.
func (a *Area) reanalyze(ctx context.Context, since time.Time, cursor string, dry bool) (reanalysis, error) {
	if !dry {
		if err := a.bus.Admit(ctx, feed.WorkStream, ""); err != nil {
			return reanalysis{}, err
		}
	}
	from := ""
	if !since.IsZero() {
		from = since.UTC().Format(feed.TimeLayout)
	}
	done := reanalysis{outdated: map[string]int{}, next: cursor}
	for rows := 0; rows < reanalysisRows; {
		page, err := a.store.Scan(ctx, done.next, feed.ScanLimit)
		if err != nil {
			return reanalysis{}, err
		}
		done.unreadable += len(page.Broken)
		items := slices.DeleteFunc(page.Items, func(i feed.Item) bool { return i.IngestedAt < from })
		if err := a.reanalyzeAll(ctx, items, dry, &done); err != nil {
			return reanalysis{}, err
		}
		rows += feed.ScanLimit
		if done.next = page.Next; done.next == "" {
			break
		}
	}
	return done, nil
}

// reanalyzeAll processes the items of a page.
func (a *Area) reanalyzeAll(ctx context.Context, items []feed.Item, dry bool, done *reanalysis) error {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(reanalysisParallel)
	for _, item := range items {
		group.Go(func() error {
			outdated := item.Outdated()
			var err error
			if !dry {
				err = a.reanalyzeOne(ctx, item)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case outdated:
				done.outdated[item.ModelVersion]++
			case item.Status == feed.Analyzed:
				done.current++
			default:
				done.waiting++
			}
			return err
		})
	}
	return group.Wait()
}

// reanalyzeOne moves an outdated item to pending. It also announces an item that is already
// pending, because the call that moved it may have crashed before the announcement.
func (a *Area) reanalyzeOne(ctx context.Context, item feed.Item) error {
	if item.Outdated() {
		moved, err := a.store.Reanalyze(ctx, item)
		_, other := errors.AsType[*lifecycle.MovedError](err)
		switch {
		case errors.Is(err, lifecycle.ErrNotFound), errors.Is(err, lifecycle.ErrFenceLost):
			return nil // deleted or analyzed since it was read
		case other: // moved by another call, or by this one if the response was lost
			moved = item
			moved.Status = feed.Pending
		case err != nil:
			return err
		}
		item = moved
	}
	if item.Scored() && !item.Settled() {
		return a.announce(ctx, item)
	}
	return nil
}

// versions returns the number of outdated items by model version, oldest version first.
func (r reanalysis) versions() []outdatedItems {
	all := make([]outdatedItems, 0, len(r.outdated))
	for version, items := range r.outdated {
		all = append(all, outdatedItems{version, items})
	}
	slices.SortFunc(all, func(a, b outdatedItems) int { return feed.CompareModels(a.ModelVersion, b.ModelVersion) })
	return all
}
