package searchtest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// listsAreSorted checks that, with every combination of keys and with small pages, each list has all nodes in order.
func listsAreSorted(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	folder := w.Folder(root, "Folder")
	for i := range 17 {
		n := w.File(folder, fmt.Sprintf("%c%d.txt", "aBä"[i%3 : i%3+1][0], i%5), strings.Repeat("x", i%4))
		if i%6 == 0 {
			w.Put(n) // updated later than the others
		}
	}
	w.Put(Trashed(w.File(folder, "trashed.txt", "")))
	w.File(w.Root("bob"), "foreign.txt", "")
	keys := []search.SortBy{search.ByName, search.BySize, search.ByCreated, search.ByUpdated}
	for _, first := range keys {
		for _, second := range keys {
			for directions := range 4 {
				order := []search.Key{{By: first, Descending: directions&1 > 0}, {By: second, Descending: directions&2 > 0}}
				if first == second {
					order = order[:1]
				}
				for _, l := range []search.Listing{{Parent: folder.ID, Sort: order}, {Owner: "ann", Kind: search.KindFile, Sort: order}} {
					w.checkList(l, order)
				}
			}
		}
	}
	if ids := w.list(search.Listing{Parent: folder.ID, Kind: search.KindFolder}); len(ids) != 0 {
		t.Errorf("got %d folders, want none", len(ids))
	}
	if ids := w.list(search.Listing{Parent: folder.ID, Status: string(library.Processed)}); len(ids) != 17 {
		t.Errorf("got %d files that are Processed, want 17", len(ids))
	}
	page, err := w.Index.List(t.Context(), search.Listing{Parent: folder.ID, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Index.List(t.Context(), search.Listing{Parent: root.ID, Limit: 1, Cursor: page.Next}); !errors.Is(err, search.ErrCursor) {
		t.Errorf("a cursor of another folder: got error %v, want ErrCursor", err)
	}
}

// namesSortByNumbers checks that numbers in names are sorted by value.
func namesSortByNumbers(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	want := []string{"a", "a1", "A2", "a10", "a10b", "a11", "b 2.txt", "b 12.txt", "b 123456789.txt", "b 1234567890.txt"}
	for i := range want {
		w.Folder(root, want[(i*7+3)%len(want)])
	}
	var got []string
	for _, id := range w.list(search.Listing{Parent: root.ID, Sort: []search.Key{{By: search.ByName}}}) {
		got = append(got, w.Nodes[id].Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func (w *World) checkList(l search.Listing, order []search.Key) {
	w.t.Helper()
	ids := w.list(l)
	if len(ids) != 17 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 17 {
		w.t.Fatalf("%+v: got the nodes %v, want 17 distinct ones", l, ids)
	}
	for i := 1; i < len(ids); i++ {
		if compare(w.Nodes[ids[i-1]], w.Nodes[ids[i]], order) > 0 {
			w.t.Fatalf("%+v: got %+v before %+v, want it after", order, w.Nodes[ids[i-1]], w.Nodes[ids[i]])
		}
	}
}

func compare(a, b library.Node, order []search.Key) int {
	for _, k := range order {
		var c int
		switch k.By {
		case search.ByName:
			c = strings.Compare(search.SortKey(a.Name), search.SortKey(b.Name))
		case search.BySize:
			c = cmp.Compare(a.Blob.Length, b.Blob.Length)
		case search.ByCreated:
			c = strings.Compare(a.CreatedAt, b.CreatedAt)
		case search.ByUpdated:
			c = strings.Compare(a.UpdatedAt, b.UpdatedAt)
		}
		if k.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// list returns the ids on all pages of a list.
func (w *World) list(l search.Listing) []string {
	w.t.Helper()
	l.Limit = 4
	var ids []string
	for {
		page, err := w.Index.List(w.t.Context(), l)
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, page.IDs...)
		if l.Cursor = page.Next; l.Cursor == "" {
			return ids
		}
	}
}

// sharedNodesAreListed checks the lists of nodes that are shared with a caller and of public nodes.
func sharedNodesAreListed(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	public, user, group, both := w.Folder(root, "public"), w.Folder(root, "user"), w.Folder(root, "group"), w.Folder(root, "both")
	public.Permissions.IsPublic = true
	user.Permissions.Users = []string{"bob"}
	group.Permissions.Groups = []string{"staff"}
	both.Permissions = library.Permissions{IsPublic: true, Users: []string{"bob", "cem"}, Groups: []string{"staff"}}
	for _, n := range []library.Node{public, user, group, both} {
		w.File(w.Put(n), "below.txt", "")
	}
	own := w.Folder(w.Root("bob"), "own")
	own.Permissions.Users = []string{"bob"}
	w.Put(own)
	names := func(s search.Shared) []string {
		var all []string
		for _, id := range w.list(search.Listing{Shared: &s, Sort: []search.Key{{By: search.ByName}}}) {
			all = append(all, w.Nodes[id].Name)
		}
		return all
	}
	w.wants("public", names(search.Shared{Public: true}), "both", "public")
	w.wants("with bob", names(search.Shared{Owner: "bob", Groups: []string{"staff"}}), "both", "group", "user")
	w.wants("with cem", names(search.Shared{Owner: "cem"}), "both")
	both = w.Nodes[both.ID]
	both.Permissions = library.Permissions{}
	w.Put(both)
	w.wants("revoked", names(search.Shared{Owner: "cem"}))
	w.Put(Trashed(w.Nodes[user.ID]))
	w.wants("trashed", names(search.Shared{Owner: "bob"}))
}
