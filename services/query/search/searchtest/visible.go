package searchtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// callersSeeWhatTheTablesAllow checks that, after random changes to a tree, every caller finds exactly the nodes that
// library.Path.Access allows it to read and that are not in the trash.
func callersSeeWhatTheTablesAllow(t *testing.T, open Open) {
	w := NewWorld(t, open)
	owners := []string{"ann", "bob", "cem"}
	groups := []string{"staff", "guests"}
	var ids []string
	for _, owner := range owners {
		root := w.Root(owner)
		parents := []library.Node{root}
		for i := range 25 {
			parent := parents[w.random.IntN(len(parents))]
			if n := w.Folder(parent, fmt.Sprintf("common folder %d", i)); i%2 == 0 {
				parents = append(parents, n)
			}
			ids = append(ids, w.File(parent, fmt.Sprintf("common %d.txt", i), "").ID, parents[len(parents)-1].ID)
		}
	}
	callers := []library.Caller{{}, {Owner: "nobody"}, {Owner: "nobody", Groups: groups[:1]}, {Owner: "ann"}, {Owner: "bob", Groups: groups}, {Owner: "cem"}}
	terms := w.Terms("common")
	for step := range 150 {
		w.change(ids[w.random.IntN(len(ids))], owners, groups)
		if step%10 > 0 {
			continue
		}
		for _, c := range callers {
			want := []string{}
			for id, n := range w.Nodes {
				if path := w.Path(id); n.Type != library.KindUser && path != nil && !path.Trashed() && path.Access(c) != library.NoAccess {
					want = append(want, id)
				}
			}
			got, result := w.Search(search.Query{Caller: search.Caller{Owner: c.Owner, Groups: c.Groups}, Terms: terms, Limit: 40})
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || result.Total != len(want) {
				t.Fatalf("caller %+v after %d changes: got %d nodes %v, total %d, want %d %v", c, step, len(got), got, result.Total, len(want), want)
			}
		}
	}
}

// change makes a random change to a node.
func (w *World) change(id string, owners, groups []string) {
	n, there := w.Nodes[id]
	if !there || n.Type == library.KindUser {
		return
	}
	switch w.random.IntN(7) {
	case 0:
		n.Permissions.IsPublic = !n.Permissions.IsPublic
	case 1, 2:
		n.Permissions.Users = []string{owners[w.random.IntN(len(owners))], "someone"}
	case 3:
		n.Permissions.Users, n.Permissions.Groups = nil, []string{groups[w.random.IntN(len(groups))]}
	case 4:
		n.Permissions = library.Permissions{}
	case 5:
		if n.IsDeleted {
			n.ParentID, n.TrashedFrom, n.IsDeleted = n.TrashedFrom, "", false
		} else {
			n = Trashed(n)
		}
	case 6: // moved to a folder that is not below it
		target := w.Path(n.ParentID)
		if n.IsDeleted || len(target) == 0 || target.Trashed() {
			return
		}
		n.ParentID = target[w.random.IntN(len(target))].ID
	}
	w.Put(n)
}

// pagesHaveAll checks that the pages of a query contain each hit once, and that a cursor is valid only for its query.
func pagesHaveAll(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	for i := range 25 {
		w.File(root, "page.txt", fmt.Sprintf("text %d", i%3))
	}
	c := search.Caller{Owner: "ann"}
	q := search.Query{Caller: c, Terms: w.Terms("page"), Limit: 7}
	ids, first := w.Search(q)
	unique := slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) != 25 || len(unique) != 25 || first.Total != 25 || len(first.Hits) != 7 {
		t.Errorf("got %d hits, %d distinct, total %d, %d on the first page, want 25, 25, 25 and 7", len(ids), len(unique), first.Total, len(first.Hits))
	}
	for _, other := range []search.Query{
		{Caller: c, Terms: w.Terms("text"), Limit: 7, Cursor: first.Next}, {Caller: search.Caller{Owner: "bob"}, Terms: q.Terms, Limit: 7, Cursor: first.Next},
		{Caller: c, Terms: q.Terms, Limit: 7, Cursor: "nonsense"},
	} {
		if _, err := w.Index.Search(t.Context(), other); !errors.Is(err, search.ErrCursor) {
			t.Errorf("a cursor of another query: got error %v, want ErrCursor", err)
		}
	}
}

// foldersAreHidden checks that a search below a folder finds nothing for a caller who may read its files but not its name.
func foldersAreHidden(t *testing.T, open Open) {
	w := NewWorld(t, open)
	secret := w.Folder(w.Root("ann"), "secret")
	shared := w.Folder(secret, "shared")
	w.File(shared, "common.txt", "")
	shared.Permissions.Users = []string{"bob"}
	w.Put(shared)
	for in, want := range map[string]struct{ ann, bob int }{
		"shared": {1, 1}, "secret": {1, 0}, "secret/shared": {1, 0}, "/secret/shared": {1, 0}, "/secret": {1, 0}, "/shared": {0, 0},
	} {
		for owner, want := range map[string]int{"ann": want.ann, "bob": want.bob} {
			ids, _ := w.Search(search.Query{Caller: search.Caller{Owner: owner}, Terms: w.Terms("common"), Filter: search.Filter{In: in}})
			if len(ids) != want {
				t.Errorf("%s in %s: got %d hits, want %d", owner, in, len(ids), want)
			}
		}
	}
}
