package searchtest

import (
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// similarPicturesAreFound checks that the pictures of an owner with near hashes are found, the nearest first, and those of
// other owners, of earlier runs, and of removed files are not.
func similarPicturesAreFound(t *testing.T, open Open) {
	w := NewWorld(t, open)
	picture := func(root library.Node, name string, hash lookalike.Hash) library.Node {
		n := w.File(root, name, "")
		n.Run++
		w.About[n.ID] = search.Text{Picture: &hash}
		n = w.Put(n)
		w.Load()
		return n
	}
	near := func(n library.Node, limit int) (names []string) {
		t.Helper()
		found, more, err := w.Index.Similar(t.Context(), n.ID, limit)
		if err != nil || more {
			t.Fatalf("got more = %t, %v, want all", more, err)
		}
		for i, f := range found {
			if i > 0 && f.Distance < found[i-1].Distance {
				t.Errorf("got distances %+v, want the nearest first", found)
			}
			names = append(names, w.Nodes[f.ID].Name)
		}
		return names
	}
	const hash = 0xf0f0_1234_5678_9abc // the highest bit is set, so that it is negative in SQL
	ann, bob := w.Root("ann"), w.Root("bob")
	first := picture(ann, "first.jpg", hash)
	picture(bob, "of bob.jpg", hash)
	copied := picture(w.Folder(ann, "more"), "copy.jpg", hash)
	edited := picture(ann, "edited.jpg", hash^0b1011)
	picture(ann, "edge.jpg", hash^0b11_1111_1111)
	picture(ann, "other.jpg", hash^0b111_1111_1111)
	text := w.File(ann, "text.txt", "no picture")
	for _, test := range []struct {
		of    library.Node
		limit int
		want  []string
	}{
		{first, 10, []string{"copy.jpg", "edited.jpg", "edge.jpg"}}, {first, 2, []string{"copy.jpg", "edited.jpg"}},
		{edited, 1, []string{"first.jpg"}}, {text, 10, nil},
	} {
		got := near(test.of, test.limit)
		if test.of.ID == edited.ID && len(got) == 1 && got[0] == "copy.jpg" {
			continue // as near as the first
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s, limit %d: got %v, want %v", test.of.Name, test.limit, got, test.want)
		}
	}
	w.Remove(copied)
	trashed := Trashed(edited)
	w.Put(trashed)
	if got, want := near(first, 10), []string{"edge.jpg"}; !slices.Equal(got, want) {
		t.Errorf("after a removal: got %v, want %v", got, want)
	}
	first.Run++
	delete(w.About, first.ID)
	first = w.Put(first)
	w.Load()
	if got := near(first, 10); len(got) != 0 {
		t.Errorf("a run that is not a picture: got %v, want none", got)
	}
	if found, _, err := w.Index.Similar(t.Context(), w.id(), 10); err != nil || len(found) != 0 {
		t.Errorf("a file that does not exist: got %v, %v, want none", found, err)
	}
}
