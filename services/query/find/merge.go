package find

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
)

// position is the cursor in each area that was searched: empty at the start, and ended after the last hit.
type position map[string]string

const ended = "-"

// readCursor returns the position of a cursor, which is at the start if the cursor is empty. It returns search.ErrCursor if the
// cursor belongs to other areas.
func readCursor(text string, areas []string) (position, error) {
	at := position{}
	if text == "" {
		for _, name := range areas {
			at[name] = ""
		}
		return at, nil
	}
	document, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(document, &at)
	}
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(at)), areas) {
		return nil, search.ErrCursor
	}
	return at, nil
}

// String returns the cursor, which is empty if all areas have ended.
func (p position) String() string {
	for _, cursor := range p {
		if cursor != ended {
			text, err := json.Marshal(p)
			if err != nil { // never happens: p contains only strings
				return ""
			}
			return base64.RawURLEncoding.EncodeToString(text)
		}
	}
	return ""
}

// pages returns the next page of each area. Areas that have ended have a page without hits, with their totals.
func (s *Service) pages(ctx context.Context, q search.Query, c web.Caller, at position) (map[string]Page, error) {
	var mu sync.Mutex
	pages := map[string]Page{}
	group, searching := errgroup.WithContext(ctx)
	for name, cursor := range at {
		group.Go(func() error {
			one := q
			if one.Cursor = cursor; cursor == ended {
				one.Cursor, one.Limit = "", 1
			}
			page, err := s.areas[name].Find(searching, one, c)
			if cursor == ended {
				page.Hits, page.Next = nil, ""
			}
			mu.Lock()
			defer mu.Unlock()
			pages[name] = page
			return err
		})
	}
	return pages, group.Wait()
}

// hit is a hit with its area.
type hit struct {
	area string
	Hit
}

// merge returns at most limit hits of the pages, best first, and the position after them. Hits with the same score are in the
// order of the names of their areas. It stops where a page ends that has a next one, because its hits could be better than the
// rest.
func merge(pages map[string]Page, limit int, at position) (hits []hit, next position) {
	next = maps.Clone(at)
	rest := maps.Clone(pages)
	names := slices.Sorted(maps.Keys(pages))
	for {
		best := ""
		for _, name := range names {
			page := rest[name]
			if len(page.Hits) == 0 {
				if page.Next == "" {
					next[name] = ended
					continue
				}
				if next[name] = page.Next; len(hits) < limit {
					return hits, next
				}
				continue
			}
			if best == "" || page.Hits[0].Score > rest[best].Hits[0].Score {
				best = name
			}
		}
		if best == "" || len(hits) == limit {
			return hits, next
		}
		page := rest[best]
		hits, next[best] = append(hits, hit{best, page.Hits[0]}), page.Hits[0].Hit.Next
		page.Hits = page.Hits[1:]
		rest[best] = page
	}
}
