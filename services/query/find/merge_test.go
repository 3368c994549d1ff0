package find

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
)

// ranked is an area whose hits have these scores, best first. Every third hit is one that the caller may not see.
type ranked struct {
	name   string
	scores []float64
}

func (r ranked) hidden(i int) bool { return i%3 == 2 }

func (r ranked) Find(_ context.Context, q search.Query, _ web.Caller) (Page, error) {
	begin := 0
	if q.Cursor != "" {
		if _, err := fmt.Sscanf(q.Cursor, r.name+"%d", &begin); err != nil {
			return Page{}, search.ErrCursor
		}
	}
	page := Page{Total: len(r.scores)}
	for i := begin; i < len(r.scores); i++ {
		if i == begin+q.Limit {
			page.Next = fmt.Sprintf("%s%d", r.name, i)
			break
		}
		if !r.hidden(i) {
			page.Hits = append(page.Hits, Hit{Hit: search.Hit{ID: fmt.Sprintf("%s%d", r.name, i), Next: fmt.Sprintf("%s%d", r.name, i+1), Score: r.scores[i]}})
		}
	}
	return page, nil
}

func (r ranked) Indexed(context.Context, string, web.Caller) error { return nil }

// TestPagesHaveAllHits: pages of every size contain each visible hit of all areas once, best first.
func TestPagesHaveAllHits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := New(nil, nil)
		visible := 0
		for _, name := range []string{"a", "b", "c"} {
			r := ranked{name: name}
			for i := range random.IntN(12) {
				r.scores = append(r.scores, float64(random.IntN(6)))
				if !r.hidden(i) {
					visible++
				}
			}
			slices.SortFunc(r.scores, func(a, b float64) int { return int(b - a) })
			s.Add(name, r)
		}
		limit := 1 + random.IntN(8)
		found := map[string]bool{}
		last := 100.0
		for cursor, pages := "", 0; cursor != "" || pages == 0; pages++ {
			at, err := readCursor(cursor, s.names)
			if err != nil {
				t.Fatal(err)
			}
			all, err := s.pages(t.Context(), search.Query{Limit: limit}, web.Caller{}, at)
			if err != nil {
				t.Fatal(err)
			}
			hits, next := merge(all, limit, at)
			if len(hits) > limit || pages > 60 {
				t.Fatalf("page %d has %d hits, want at most %d, on at most 60 pages", pages, len(hits), limit)
			}
			for _, h := range hits {
				if found[h.ID] || h.Score > last {
					t.Fatalf("limit %d: got %s with score %v after %v, want each hit once, best first", limit, h.ID, h.Score, last)
				}
				found[h.ID], last = true, h.Score
			}
			cursor = next.String()
		}
		if len(found) != visible {
			t.Fatalf("limit %d: got %d hits, want %d", limit, len(found), visible)
		}
	}
}

func TestCursorBelongsToAreas(t *testing.T) {
	at := position{"a": "x", "b": ended}
	if got, err := readCursor(at.String(), []string{"a", "b"}); err != nil || got["a"] != "x" || got["b"] != ended {
		t.Errorf("readCursor = %v, %v; want %v", got, err, at)
	}
	for _, text := range []string{"nonsense", at.String()} {
		if _, err := readCursor(text, []string{"a"}); !errors.Is(err, search.ErrCursor) {
			t.Errorf("readCursor(%q) = %v, want ErrCursor", text, err)
		}
	}
}
