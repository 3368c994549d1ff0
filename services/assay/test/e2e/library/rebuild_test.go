package library

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestIndexIsRebuilt checks that a server whose search index was deleted or damaged returns the same
// responses as before once it is ready again.
func TestIndexIsRebuilt(t *testing.T) {
	dir := t.TempDir()
	s := system.StartServer(t, dir)
	c := s.Client(t, system.NewOwner())
	in := folder(t, c, "a folder", "")
	var changed []client.Node // the index contains a change once a search after that version succeeds
	for i := range 5 {
		changed = append(changed, file(t, c, fmt.Sprintf("file %d.txt", i), in.ID, fmt.Sprintf("the common word and number %d", i)))
	}
	trashed := file(t, c, "trashed.txt", "", "common")
	if err := c.TrashNode(system.Within(t), trashed.ID); err != nil {
		t.Fatal(err)
	}
	last, err := c.Node(system.Within(t), trashed.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	queries := []client.Search{{Query: "common"}, {Query: "fil*"}, {Query: `"number 3"`}, {Query: "common", ParentID: in.ID, Limit: 2}}
	responses := func() string {
		var all string
		for _, q := range queries {
			q.After = client.NodeVersion(last)
			var page client.SearchPage
			system.Eventually(t, func() error { // wait until the index is ready
				var err error
				page, err = c.SearchLibrary(system.Within(t), q)
				return err
			})
			for _, h := range page.Hits { // including their scores, which depend on all nodes
				all += fmt.Sprintln(h.Node.ID, h.Score, h.Snippets)
			}
			all += fmt.Sprintln(page.Total, page.Facets, page.NextCursor != "")
		}
		return all
	}
	for _, n := range changed {
		system.Eventually(t, func() error {
			_, err := c.SearchLibrary(system.Within(t), client.Search{Query: "common", After: client.NodeVersion(n)})
			return err
		})
	}
	want := responses()
	for name, spoil := range map[string]func(path string) error{
		"deleted": os.Remove,
		"damaged": func(path string) error { return os.WriteFile(path, make([]byte, 100_000), 0o600) },
	} {
		s.Program.Interrupt(t)
		if err := spoil(filepath.Join(dir, "search.db.library")); err != nil {
			t.Fatal(err)
		}
		s.Restart(t)
		c = s.Client(t, c.OwnerID())
		if got := responses(); got != want {
			t.Errorf("with a %s index, the responses are\n%s\nwant\n%s", name, got, want)
		}
	}
}
