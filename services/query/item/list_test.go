package item

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/table"
)

// shelf is a list of an area in memory, newest first. Its cursors are "<time>/<id>", which name a place in the order also
// when the item is gone.
type shelf struct {
	items []Listed
	most  int               // maximum number of items of a page; 0 for any
	hides func(Listed) bool // items that a page omits, such as those in the trash; nil for none
}

func (s *shelf) Item(context.Context, string, Reader) (Item, error) { return Item{}, nil }

func (s *shelf) Items(_ context.Context, p Page) (items []Listed, next string, err error) {
	from := 0
	if p.Cursor != "" {
		from = slices.IndexFunc(s.items, func(i Listed) bool { return later(p.Cursor, i.After) < 0 })
		if from < 0 {
			return nil, "", nil
		}
	}
	to := min(from+int(p.Limit), len(s.items))
	if s.most > 0 {
		to = min(to, from+s.most)
	}
	if to < len(s.items) {
		next = s.items[to-1].After
	}
	items = slices.Clone(s.items[from:to])
	if s.hides != nil {
		items = slices.DeleteFunc(items, s.hides)
	}
	return items, next, nil
}

// later compares the places of two cursors: the newer one comes first.
func later(a, b string) int { return strings.Compare(b, a) }

func (s *shelf) add(id string, ms int64, status Status) {
	i := Listed{Item: Item{ID: id, Status: status}, At: time.UnixMilli(ms), After: fmt.Sprintf("%06d/%06s", ms, id)}
	at, _ := slices.BinarySearchFunc(s.items, i.After, func(other Listed, after string) int { return later(other.After, after) })
	s.items = slices.Insert(s.items, at, i)
}

// lists is the number of random lists that TestPagesAreStable reads.
var lists = flag.Uint64("lists", 150, "number of random lists to read")

// TestPagesAreStable reads lists of three areas page by page, while items with any time are added and deleted between the
// pages. Every item that exists throughout is returned exactly once, no other more than once, and no page contains an item that
// is newer than one before it.
func TestPagesAreStable(t *testing.T) {
	for seed := range *lists {
		if err := readAll(rand.New(rand.NewPCG(seed, 1))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// readAll reads a random list to its end.
func readAll(r *rand.Rand) error {
	l, shelves := list{}, map[string]*shelf{}
	for _, name := range []string{"a", "b", "c"} {
		shelves[name] = &shelf{}
		l.areas = append(l.areas, owned{shelves[name], name})
	}
	statuses := []Status{Waiting, Done, Failed}
	if r.IntN(2) == 0 {
		l.status = Done
	}
	number, span := 0, int64(1+r.IntN(60)) // many items have the same time if the span is short
	add := func() {
		number++
		shelves[string(rune('a'+r.IntN(3)))].add(strconv.Itoa(number), 1000+r.Int64N(span), statuses[r.IntN(len(statuses))])
	}
	for range r.IntN(40) {
		add()
	}
	for _, s := range shelves {
		switch r.IntN(3) {
		case 0:
			s.hides = func(i Listed) bool { return i.ID[len(i.ID)-1]%2 == 0 }
		case 1: // most reads find nothing
			s.most, s.hides = 1, func(i Listed) bool { return i.ID[len(i.ID)-1] != '7' }
			for range r.IntN(100) {
				add()
			}
		}
	}
	stay := l.ids(shelves) // items that exist throughout
	seen, last, text := map[string]bool{}, time.Time{}, ""
	for page := 0; ; page++ {
		limit := int32(1 + r.IntN(6))
		items, next, err := l.page(context.Background(), "ann", limit, text)
		if err != nil || len(items) > int(limit) || page > 10_000 {
			return fmt.Errorf("page %d has %d items, error %v, want at most %d", page, len(items), err, limit)
		}
		for _, i := range items {
			id := i.area + i.ID
			switch {
			case seen[id]:
				return fmt.Errorf("%s is returned again", id)
			case !last.IsZero() && i.At.After(last):
				return fmt.Errorf("%s with the time %d follows one with %d", id, i.At.UnixMilli(), last.UnixMilli())
			case l.status != "" && i.Status != l.status:
				return fmt.Errorf("%s is %s, want %s", id, i.Status, l.status)
			}
			seen[id], last = true, i.At
		}
		if text = next; text == "" {
			break
		}
		for range r.IntN(3) {
			add()
		}
		for _, s := range shelves {
			if n := len(s.items); n > 0 && r.IntN(4) == 0 {
				i := r.IntN(n)
				s.items = slices.Delete(s.items, i, i+1)
			}
		}
		now := l.ids(shelves)
		stay = slices.DeleteFunc(stay, func(id string) bool { return !slices.Contains(now, id) })
	}
	for _, id := range stay {
		if !seen[id] {
			return fmt.Errorf("%s is missing", id)
		}
	}
	return nil
}

// ids returns the ids of the items that the list selects.
func (l list) ids(shelves map[string]*shelf) (ids []string) {
	for name, s := range shelves {
		for _, i := range s.items {
			if (l.status == "" || i.Status == l.status) && (s.hides == nil || !s.hides(i)) {
				ids = append(ids, name+i.ID)
			}
		}
	}
	return ids
}

// TestRareStatusIsFound: a page for a status that few items have reads on, within limits, and the list continues behind the items
// that were read.
func TestRareStatusIsFound(t *testing.T) {
	s := &shelf{}
	for i := range 5000 {
		s.add(strconv.Itoa(i), int64(i), Done)
	}
	s.add("first", 1, Failed)
	l := list{areas: []owned{{s, "a"}}, status: Failed}
	var pages int
	for text := ""; ; pages++ {
		page, next, err := l.page(t.Context(), "ann", 10, text)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 1 && page[0].ID == "first" {
			break
		}
		if text = next; next == "" {
			t.Fatal("the list has ended without the only failed item")
		}
	}
	if want := 5000 / (readsPerPage * filteredRead); pages != want {
		t.Errorf("the item is on page %d, want page %d", pages, want)
	}
}

func TestCursorsOfOtherListsAreRejected(t *testing.T) {
	s := &shelf{}
	for i := range 3 {
		s.add(strconv.Itoa(i), int64(i), Done)
	}
	all := list{areas: []owned{{s, "a"}}}
	_, next, err := all.page(t.Context(), "ann", 1, "")
	if err != nil || next == "" {
		t.Fatalf("got the cursor %q, error %v, want a cursor", next, err)
	}
	for name, read := range map[string]func() error{
		"another status": func() error { _, _, err := list{all.areas, "", Done}.page(t.Context(), "ann", 1, next); return err },
		"another area":   func() error { _, _, err := list{all.areas, "a", ""}.page(t.Context(), "ann", 1, next); return err },
		"no base64":      func() error { _, _, err := all.page(t.Context(), "ann", 1, "?"); return err },
		"no JSON":        func() error { _, _, err := all.page(t.Context(), "ann", 1, "YWJj"); return err },
		"no lists":       func() error { _, _, err := all.page(t.Context(), "ann", 1, "e30"); return err },
	} {
		if err := read(); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%s: got error %v, want ErrCursor", name, err)
		}
	}
}
