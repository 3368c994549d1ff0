package library

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/extract/records"
)

const (
	// countingTime bounds the time for counting the records that a filter selects. Later, a page is read without the number.
	countingTime = 2 * time.Second
	// sortingTime bounds the time for sorting, and for describing, the records of a file.
	sortingTime = 20 * time.Second
	// parallelSelections is the number of files whose records are filtered, sorted or described concurrently. Each
	// can use 220 MB.
	parallelSelections = 2
	// maxSelected is the number of indexes in the cache, which has 4 bytes for each.
	maxSelected = 16 << 20
)

// errSlow means that records could not be sorted or described in time.
var errSlow = errors.New("the file is too large")

// A selected is the key of a selection.
type selected struct {
	file         string
	run          int64
	filter, sort string
}

// selections caches the indexes of the records that filters select, in the requested order, so that the pages after the first
// one need not filter and sort again.
type selections struct {
	turns chan struct{}

	mu     sync.Mutex
	found  map[selected]*list.Element
	recent *list.List // of *selection, the last used one first
	size   int        // indexes
}

type selection struct {
	of      selected
	indexes []int32
}

func newSelections() *selections {
	return &selections{turns: make(chan struct{}, parallelSelections), found: map[selected]*list.Element{}, recent: list.New()}
}

// get returns the indexes of the selected records. It returns errSlow if that takes too long.
func (s *selections) get(ctx context.Context, f *recordFile, filter *records.Filter, order []records.Sort, key selected, limit time.Duration) ([]int32, error) {
	if indexes, found := s.cached(key); found {
		return indexes, nil
	}
	var found []int
	err := s.take(ctx, limit, func(ctx context.Context) (err error) {
		found, err = f.records.Select(ctx, filter, order)
		return err
	})
	if err != nil {
		return nil, err
	}
	indexes := make([]int32, len(found))
	for i, index := range found {
		indexes[i] = int32(index)
	}
	s.add(key, indexes)
	return indexes, nil
}

// take waits for a turn and calls do. It returns errSlow if that takes longer than limit.
func (s *selections) take(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := do(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *selections) cached(key selected) ([]int32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, found := s.found[key]
	if !found {
		return nil, false
	}
	s.recent.MoveToFront(e)
	return e.Value.(*selection).indexes, true
}

func (s *selections) add(key selected, indexes []int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, found := s.found[key]; found {
		return
	}
	s.found[key] = s.recent.PushFront(&selection{key, indexes})
	const entry = 1 << 10 // an entry with few indexes uses memory too, mostly for its filter
	s.size += len(indexes) + entry
	for s.size > maxSelected && s.recent.Len() > 1 {
		last := s.recent.Remove(s.recent.Back()).(*selection)
		delete(s.found, last.of)
		s.size -= len(last.indexes) + entry
	}
}
