package searchtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/services/query/search"
)

// itemsNeedNoFolders checks that items outside of folders, with ids of any form, are found by those who may see them, and that
// items without an owner belong to nobody.
func itemsNeedNoFolders(t *testing.T, open Open) {
	w := NewWorld(t, open)
	at := w.now
	own := search.Item{ID: "01JEXAMPLE0000000000000000", Owner: "ann", Kind: search.KindFile, Name: "own common.txt", Version: 1, Created: at, Changed: at}
	fifteen := own
	fifteen.ID, fifteen.Name = "123456789012345", "other common.pdf"
	all := search.Item{ID: "rss#everyone", Kind: search.KindMessage, Name: "a common message", Version: 1, Created: at, Changed: at, Public: true}
	hidden := search.Item{ID: "rss#nobody", Kind: search.KindMessage, Name: "a common secret", Version: 1, Created: at, Changed: at}
	w.Apply(own, fifteen, all, hidden)
	for owner, want := range map[string][]string{"ann": {own.ID, fifteen.ID, all.ID}, "bob": {all.ID}, "": {all.ID}} {
		got, result := w.Search(search.Query{Caller: search.Caller{Owner: owner}, Terms: w.Terms("common"), Limit: 1})
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) || result.Total != len(want) {
			t.Errorf("%q: got %q, total %d, want %q", owner, got, result.Total, want)
		}
	}
	for _, f := range []search.Filter{{Kind: search.KindMessage}, {Format: "pdf"}} {
		if got, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("common"), Filter: f}); len(got) != 1 {
			t.Errorf("%+v: got %q, want one hit", f, got)
		}
	}
	if got, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("common"), Filter: search.Filter{In: "folder"}}); len(got) != 0 {
		t.Errorf("in a folder: got %q, want none", got)
	}
	if has, err := w.Index.Has(t.Context(), own.ID, 1); err != nil || !has {
		t.Errorf("Has = %v, %v; want true", has, err)
	}
	w.Apply(search.Item{ID: own.ID, Owner: "ann", Removed: true, Changed: at.Add(time.Second)})
	if got, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("own")}); len(got) != 0 {
		t.Errorf("after the removal: got %q, want none", got)
	}
}

// hitsHaveCursors checks that the cursor of each hit begins a page with the next one.
func hitsHaveCursors(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	for i := range 5 {
		w.File(root, fmt.Sprintf("%d.txt", i), "page")
	}
	q := search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("page"), Limit: 10}
	_, all := w.Search(q)
	for i, h := range all.Hits {
		q.Cursor = h.Next
		rest, err := w.Index.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if want := all.IDs()[i+1:]; !slices.Equal(rest.IDs(), want) {
			t.Errorf("after hit %d: got %q, want %q", i, rest.IDs(), want)
		}
	}
}

// oldItemsExpire checks that the limits of age and number remove the oldest items of their owner and kind, in batches.
func oldItemsExpire(t *testing.T, open Open) {
	w := NewWorld(t, open)
	now := w.now
	message := func(n int) search.Item {
		at := now.Add(-time.Duration(n) * time.Hour)
		return search.Item{ID: fmt.Sprintf("rss#%02d", n), Kind: search.KindMessage, Name: "old news", Version: 1, Created: at, Changed: at, Public: true}
	}
	for n := range 10 {
		w.Apply(message(n))
	}
	kept := search.Item{ID: "kept", Owner: "ann", Kind: search.KindFile, Name: "old news", Version: 1, Created: now.Add(-1000 * time.Hour), Changed: now}
	w.Apply(kept)
	for _, step := range []struct {
		limits         search.Limits
		limit, removed int
		left           int
	}{
		{search.Limits{Kind: search.KindMessage}, 100, 0, 11},
		{search.Limits{Kind: search.KindMessage, Age: 7*time.Hour + time.Minute}, 100, 2, 9},
		{search.Limits{Kind: search.KindMessage, Items: 8}, 100, 0, 9},
		{search.Limits{Kind: search.KindMessage, Items: 4, Age: 24 * time.Hour}, 3, 3, 6},
		{search.Limits{Kind: search.KindMessage, Items: 4, Age: 24 * time.Hour}, 3, 1, 5},
		{search.Limits{Owner: "nobody", Kind: search.KindMessage, Items: 1}, 100, 0, 5},
	} {
		removed, err := w.Index.Expire(t.Context(), step.limits, now, step.limit)
		if err != nil {
			t.Fatal(err)
		}
		got, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("news")})
		if removed != step.removed || len(got) != step.left || result.Total != step.left {
			t.Errorf("%+v: removed %d, left %q, want %d and %d", step.limits, removed, got, step.removed, step.left)
		}
	}
	w.Apply(message(3)) // the last events again
	got, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("news")})
	slices.Sort(got)
	if want := []string{"kept", "rss#00", "rss#01", "rss#02", "rss#03"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
