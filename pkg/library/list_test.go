package library

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/table"
)

// Every index is listed in pages, newest first.
func TestLists(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	var ids []string
	var last File
	for i := range 7 {
		r.clock = r.clock.Add(time.Second)
		_, last = r.file(fmt.Sprintf("%d.txt", i), folder.ID)
		ids = append(ids, last.ID)
	}
	slices.Reverse(ids)
	nodes := func(page NodePage, err error) ([]string, string, error) {
		var ids []string
		for _, n := range page.Nodes {
			ids = append(ids, n.ID)
		}
		return ids, page.NextCursor, err
	}
	files := func(page FilePage, err error) ([]string, string, error) {
		var ids []string
		for _, f := range page.Files {
			if f.Name == "" {
				t.Errorf("got file %+v with keys only, want all attributes", f)
			}
			ids = append(ids, f.ID)
		}
		return ids, page.NextCursor, err
	}
	for name, list := range map[string]func(Listing) ([]string, string, error){
		"children":  func(l Listing) ([]string, string, error) { return nodes(r.Children(t.Context(), folder.ID, l)) },
		"by type":   func(l Listing) ([]string, string, error) { return nodes(r.ByType(t.Context(), KindFile, "ann", l)) },
		"by parent": func(l Listing) ([]string, string, error) { return files(r.FilesByParent(t.Context(), folder.ID, l)) },
		"by owner":  func(l Listing) ([]string, string, error) { return files(r.FilesByOwner(t.Context(), "ann", l)) },
	} {
		var found []string
		l := Listing{Limit: 3}
		for {
			page, next, err := list(l)
			if err != nil || len(page) > 3 {
				t.Fatalf("%s: got a page of %d, error %v, want at most 3", name, len(page), err)
			}
			found = append(found, page...)
			if l.Cursor = next; next == "" {
				break
			}
		}
		if !slices.Equal(found, ids) {
			t.Errorf("%s: got %q, want %q", name, found, ids)
		}
		foreign, err := table.Cursor("another list", table.Key{idName: table.Text("x")})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := list(Listing{Cursor: foreign}); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%s: a foreign cursor: got error %v, want ErrCursor", name, err)
		}
	}
	if found, _, err := files(r.FilesByBlob(t.Context(), last.BlobID, Listing{})); err != nil || !slices.Equal(found, ids[:1]) {
		t.Errorf("by blob: got %q, error %v, want %q", found, err, ids[:1])
	}
}

func TestListFilters(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	r.folder("inner", folder.ID)
	r.file("a.txt", folder.ID)
	for _, l := range []Listing{{Type: KindFile}, {Status: Loading}, {Type: KindFile, Status: Loading}} {
		page, err := r.Children(t.Context(), folder.ID, l)
		if err != nil || len(page.Nodes) != 1 || page.Nodes[0].Name != "a.txt" {
			t.Errorf("%+v: got %+v, error %v, want a.txt only", l, page, err)
		}
	}
}

// TestListContinuesAfterAFile checks that the list of an owner's files continues behind each file, and that a file in the trash or
// in a trashed folder is not visible.
func TestListContinuesAfterAFile(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	var files []File
	for i, parent := range []string{"", folder.ID, "", ""} {
		r.clock = r.clock.Add(time.Second)
		_, f := r.file(fmt.Sprintf("%d.txt", i), parent)
		files = append([]File{f}, files...)
	}
	for i, f := range files {
		cursor, err := r.After(f)
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.FilesByOwner(t.Context(), "ann", Listing{Cursor: cursor})
		if err != nil || len(page.Files) != len(files)-1-i || len(page.Files) > 0 && page.Files[0].ID != files[i+1].ID {
			t.Errorf("after file %d: got %+v, error %v, want the files after it", i, page, err)
		}
	}
	for _, id := range []string{folder.ID, files[0].ID} {
		if _, err := r.Trash(t.Context(), id, Edit{By: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := r.FilesByOwner(t.Context(), "ann", Listing{})
	if err != nil {
		t.Fatal(err)
	}
	visible, err := r.VisibleFiles(t.Context(), page.Files)
	if err != nil || len(page.Files) != 4 || len(visible) != 2 || visible[0].ID != files[1].ID || visible[1].ID != files[3].ID {
		t.Errorf("got %+v, error %v, want the files outside of the trash", visible, err)
	}
}
