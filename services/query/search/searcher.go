package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
)

const (
	// readyWait limits how long a request waits for a version.
	readyWait = 5 * time.Second
	// sharedPause is the pause between two checks for a version that another process may have written.
	sharedPause = 100 * time.Millisecond
)

// Version is a version of an item.
type Version struct {
	ID      string
	Version int64
}

// Await waits until the index has at least a version of an item. It returns ErrNotReady after readyWait.
func (s *Searcher) Await(ctx context.Context, v Version) error {
	over := time.NewTimer(readyWait)
	defer over.Stop()
	for {
		has, changed, err := s.has(ctx, v)
		if has || err != nil && !errors.Is(err, ErrNotReady) {
			return err
		}
		var again <-chan time.Time
		if s.shares() {
			again = time.After(sharedPause)
		}
		select {
		case <-changed:
		case <-again:
		case <-over.C:
			return ErrNotReady
		case <-web.Draining(ctx):
			return ErrNotReady
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Searcher) has(ctx context.Context, v Version) (has bool, changed <-chan struct{}, err error) {
	index, changed, done, err := s.use()
	if err != nil {
		return false, changed, err
	}
	defer done()
	has, err = index.Has(ctx, v.ID, v.Version)
	return has, changed, err
}

// shares reports whether another process may write the index.
func (s *Searcher) shares() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, shared := s.index.(SharedIndex)
	return shared
}

// Search returns one page of hits. The caller must read the items from the tables. It can return ErrNotReady and ErrCursor.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	index, _, done, err := s.use()
	if err != nil {
		return Result{}, err
	}
	defer done()
	if q, err = s.tagged(ctx, q); err != nil {
		return Result{}, err
	}
	return index.Search(ctx, q)
}

// tagged returns a query with the ids of the items that have its tags, as the tables have them now.
func (s *Searcher) tagged(ctx context.Context, q Query) (Query, error) {
	if q.Only != "" {
		return s.only(ctx, q)
	}
	if !q.Tags.Any() || q.Caller.Owner == "" {
		return q, nil
	}
	all, err := s.o.Tags.List(ctx, q.Caller.Owner, s.o.Area)
	if err != nil {
		return q, err
	}
	for _, t := range all {
		if t.Has(q.Tags.With...) {
			q.Tagged = append(q.Tagged, t.ID)
		}
		if slices.ContainsFunc(q.Tags.Without, func(one string) bool { return t.Has(one) }) {
			q.Untagged = append(q.Untagged, t.ID)
		}
	}
	return q, nil
}

// only returns a query that finds at most one item, with the tags that the tables have now.
func (s *Searcher) only(ctx context.Context, q Query) (Query, error) {
	with, without := q.Tags.With, q.Tags.Without
	q.Tags, q.Tagged = Tags{With: []string{q.Only}}, []string{q.Only} // an index knows no tags
	if len(with)+len(without) == 0 {
		return q, nil
	}
	item := saved.Item{Area: s.o.Area, ID: q.Only}
	all, err := s.o.Tags.Of(ctx, q.Caller.Owner, item)
	has := all[item]
	if !has.Has(with...) || slices.ContainsFunc(without, func(one string) bool { return has.Has(one) }) {
		q.Tagged = nil
	}
	return q, err
}

// Similar returns the pictures that look the same as another, the nearest first. more reports whether the owner has more pictures
// than were compared. The caller must read the items from the tables. It can return ErrNotReady.
func (s *Searcher) Similar(ctx context.Context, id string, limit int) (near []Near, more bool, err error) {
	index, _, done, err := s.use()
	if err != nil {
		return nil, false, err
	}
	defer done()
	return index.Similar(ctx, id, limit)
}

// List returns a page of a sorted list. The caller must read the items from the tables. It can return ErrNotReady and ErrCursor.
func (s *Searcher) List(ctx context.Context, l Listing) (Page, error) {
	index, _, done, err := s.use()
	if err != nil {
		return Page{}, err
	}
	defer done()
	return index.List(ctx, l)
}
