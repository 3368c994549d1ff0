package item

import (
	"context"
	"time"
)

const (
	// readsPerPage limits the reads of the list of an area for a page whose filter excludes most items.
	readsPerPage = 20
	// filteredRead is the minimum number of items that such a read requests.
	filteredRead = 100
)

// source is the list of an area while a page is made of several.
type source struct {
	area  Owned
	name  string
	from  string   // cursor of the list after the last item that was taken; empty for its beginning
	items []Listed // were read and not taken
	next  string   // cursor of the list after items
	ended bool     // nothing follows items
}

// selection selects items.
type selection struct {
	owner  string
	limit  int32
	status Status    // empty for all
	before time.Time // excludes newer items, which were added after an earlier page was read; zero for none
}

func (s selection) has(i Listed) bool {
	return (s.status == "" || i.Status == s.status) && (s.before.IsZero() || !i.At.After(s.before))
}

// fill reads as many items as the selection can need, unless its filter excludes most of them.
func (s *source) fill(ctx context.Context, q selection) error {
	p := Page{Owner: q.owner, Limit: q.limit, Cursor: s.from}
	if q.status != "" {
		p.Limit = max(p.Limit, filteredRead)
	}
	for range readsPerPage {
		read, next, err := s.area.Items(ctx, p)
		if err != nil {
			return err
		}
		for _, i := range read {
			if q.has(i) {
				s.items = append(s.items, i)
			}
		}
		p.Cursor, s.next, s.ended = next, next, next == ""
		if len(s.items) == 0 {
			s.from = next
		}
		if s.ended || len(s.items) >= int(q.limit) {
			break
		}
	}
	return nil
}

// take removes and returns the newest item.
func (s *source) take() Listed {
	newest := s.items[0]
	s.items, s.from = s.items[1:], newest.After
	if len(s.items) == 0 {
		s.from = s.next
	}
	return newest
}

// empty reports whether every item was taken.
func (s *source) empty() bool { return s.ended && len(s.items) == 0 }

// entry is an item with the name of its area.
type entry struct {
	Listed
	area string
}

// merge takes the newest items of all sources, at most limit. It takes fewer if it has taken what was read of an area whose
// list continues, because an item of that area may be newer than those of the others.
func merge(sources []*source, limit int) []entry {
	taken := []entry{}
	for len(taken) < limit {
		var newest *source
		for _, s := range sources {
			switch {
			case s.empty():
			case len(s.items) == 0:
				return taken
			case newest == nil || s.items[0].At.After(newest.items[0].At):
				newest = s
			}
		}
		if newest == nil {
			break
		}
		taken = append(taken, entry{newest.take(), newest.name})
	}
	return taken
}
