package searchtest

import (
	"errors"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// tagsRestrict checks that tags restrict the hits to the items that have them, without an influence on who may see them, and that
// a query of tags needs no words.
func tagsRestrict(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root, other := w.Root("ann"), w.Root("bob")
	var ids []string
	for _, name := range []string{"budget a.pdf", "budget b.txt", "plan c.txt", "budget d.txt"} {
		ids = append(ids, w.File(root, name, "common words").ID)
	}
	shared, hidden := w.File(other, "budget e.txt", ""), w.File(other, "budget f.txt", "")
	shared.Permissions.Users = []string{"ann"}
	w.Put(shared)
	trashed := w.File(root, "budget g.txt", "")
	w.Put(Trashed(trashed))
	message := search.Item{ID: "rss#budget", Kind: search.KindMessage, Name: "a budget", Version: 1, Created: w.now, Changed: w.now, Public: true}
	w.Apply(message)
	all := append(slices.Clone(ids), shared.ID, hidden.ID, trashed.ID, message.ID, "missing", "")
	x, noTag := search.Tags{With: []string{"x"}}, search.Tags{Without: []string{"y"}}
	for name, c := range map[string]struct {
		query  string
		q      search.Query
		wanted []string
	}{
		"words and a tag":               {"budget", search.Query{Tags: x, Tagged: ids[1:3]}, ids[1:2]},
		"a form of a word and a tag":    {"budgets", search.Query{Tags: x, Tagged: all}, []string{ids[0], ids[1], ids[3], shared.ID, message.ID}},
		"a typing error and a tag":      {"budgat", search.Query{Tags: x, Tagged: ids[2:]}, ids[3:4]},
		"a word in a text and a tag":    {"common", search.Query{Tags: x, Tagged: ids[2:3]}, ids[2:3]},
		"words and a tag without items": {"budget", search.Query{Tags: x}, nil},
		"words without a tag":           {"budget", search.Query{Tags: noTag, Untagged: []string{ids[0], message.ID}}, []string{ids[1], ids[3], shared.ID}},
		"words without an unused tag":   {"plan", search.Query{Tags: noTag}, ids[2:3]},
		"both":                          {"budget", search.Query{Tags: search.Tags{With: x.With, Without: noTag.Without}, Tagged: ids, Untagged: ids[1:]}, ids[:1]},
		"a tag":                         {"", search.Query{Tags: x, Tagged: all}, []string{ids[0], ids[1], ids[2], ids[3], shared.ID, message.ID}},
		"a tag and not another":         {"", search.Query{Tags: search.Tags{With: x.With, Without: noTag.Without}, Tagged: all, Untagged: ids[:3]}, []string{ids[3], shared.ID, message.ID}},
		"a tag and a filter":            {"", search.Query{Tags: x, Tagged: all, Filter: search.Filter{Format: "pdf"}}, ids[:1]},
		"a tag and a folder":            {"", search.Query{Tags: x, Tagged: all, Filter: search.Filter{Below: root.ID}}, ids},
		"a tag without items":           {"", search.Query{Tags: x}, nil},
		"ids without a tag":             {"", search.Query{Tagged: all}, nil},
	} {
		q := c.q
		q.Caller, q.Terms, q.Limit = search.Caller{Owner: "ann"}, w.Terms(c.query), 2
		got, result := w.Search(q)
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(c.wanted)); !slices.Equal(got, want) || result.Total != len(want) {
			t.Errorf("%s: got %q, total %d, want %q", name, got, result.Total, want)
		}
	}
	q := search.Query{Caller: search.Caller{Owner: "ann"}, Tags: x, Tagged: ids, Limit: 2}
	got, first := w.Search(q)
	if slices.Reverse(got); !slices.Equal(got, ids) || len(first.Facets.Type) != 1 || first.Facets.Type[0].Count != len(ids) {
		t.Errorf("a tag: got %q, facets %+v, want the newest id first, and all files counted", got, first.Facets)
	}
	q.Cursor, q.Tagged = first.Next, ids[:1] // the tag was removed from items meanwhile
	if rest, err := w.Index.Search(t.Context(), q); err != nil || !slices.Equal(rest.IDs(), ids[:1]) {
		t.Errorf("the second page: got %q, error %v, want %q", rest.IDs(), err, ids[:1])
	}
	q.Tags = search.Tags{With: []string{"other"}}
	if _, err := w.Index.Search(t.Context(), q); !errors.Is(err, search.ErrCursor) {
		t.Errorf("the cursor of another tag: got error %v, want ErrCursor", err)
	}
	w.Remove(library.Node{ID: ids[0], OwnedBy: "ann", Type: library.KindFile, Version: 9, UpdatedAt: w.Nodes[ids[0]].UpdatedAt})
	if got, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Tags: x, Tagged: ids[:2]}); !slices.Equal(got, ids[1:2]) {
		t.Errorf("after the removal of an item: got %q, want %q", got, ids[1:2])
	}
}
