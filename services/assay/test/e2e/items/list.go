package items

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// list returns the ids of the client's items, read in pages of a size.
func list(t *testing.T, c *client.Client, l client.ItemListing) (ids []string) {
	t.Helper()
	for i, err := range c.Items(system.Within(t), l) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, i.ID)
	}
	return ids
}

// lists waits until the list of the client's items has these ids: the indexes of tables are eventually consistent.
func lists(t *testing.T, c *client.Client, l client.ItemListing, want ...string) {
	t.Helper()
	system.Eventually(t, func() error {
		if got := list(t, c, l); !slices.Equal(got, want) {
			return fmt.Errorf("the items of %+v are %q, want %q", l, got, want)
		}
		return nil
	})
}

// libraryFile uploads a file to the library and waits until it is processed.
func libraryFile(t *testing.T, c *client.Client, name, parentID, text string) client.Node {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
		Name: name, Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]), ParentID: parentID,
	}, client.Source{Content: strings.NewReader(text)})
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return n
}

// folder creates a folder in the library.
func folder(t *testing.T, c *client.Client, name string) client.Node {
	t.Helper()
	n, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// allAreasHaveOneList: the list contains the owner's text files, photo jobs and files of the library, newest first, each with its
// state in both vocabularies, and with links that work. It contains no folders, no trash, and no items of other owners.
func allAreasHaveOneList(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c, another := s.Client(t, owner), s.Client(t, system.NewOwner())
	text := system.Await(t, c, system.UploadMultipart(t, c, "book.txt", "text/plain", []byte("one two two")).FileID)
	photo := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, 43)).JobID, client.Completed)
	docs := folder(t, c, "docs")
	node := libraryFile(t, c, "note.txt", docs.ID, "a note")
	failed := system.Await(t, c, system.UploadMultipart(t, c, "broken.txt", "text/plain", []byte("%PDF-1.7\n")).FileID)
	reserved := system.Reserve(t, c, "later.txt", "text/plain", "later")
	theirs := system.UploadMultipart(t, another, "theirs.txt", "text/plain", []byte("three"))

	lists(t, c, client.ItemListing{}, reserved.FileID, failed.FileID, node.ID, photo.JobID, text.FileID)
	lists(t, another, client.ItemListing{}, theirs.FileID)
	lists(t, c, client.ItemListing{Status: "done"}, node.ID, photo.JobID, text.FileID)
	lists(t, c, client.ItemListing{Status: "done", Limit: 1}, node.ID, photo.JobID, text.FileID)
	lists(t, c, client.ItemListing{Status: "failed"}, failed.FileID)
	lists(t, c, client.ItemListing{Status: "waiting", Area: "textfile"}, reserved.FileID)
	lists(t, c, client.ItemListing{Area: "photojob"}, photo.JobID)
	lists(t, c, client.ItemListing{Area: "library"}, node.ID)

	page, err := c.ItemPage(system.Within(t), client.ItemListing{})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct {
		area, name, status, state, contentType string
		size                                   int64
		failed, content                        bool
	}{
		{"textfile", "later.txt", "waiting", "PENDING", "", 5, false, false},
		{"textfile", "broken.txt", "failed", "FAILED", "", -1, true, true},
		{"library", "note.txt", "done", "Processed", "text/plain", 6, false, true},
		{"photojob", "a photo.jpg", "done", "COMPLETED", "image/jpeg", photo.EditResult.Size, false, true},
		{"textfile", "book.txt", "done", "COMPLETED", "", -1, false, true}, // the size of a form is not stored
	} {
		i := page.Items[k]
		size := int64(-1)
		if i.Size != nil {
			size = *i.Size
		}
		if i.Area != want.area || i.Name != want.name || i.Status != want.status || i.AreaStatus != want.state || i.CreatedAt.IsZero() || i.UpdatedAt.Before(i.CreatedAt) ||
			!strings.HasPrefix(i.ContentType, want.contentType) || size != want.size || (i.Error != "") != want.failed || (i.Links.Content != "") != want.content {
			t.Errorf("item %d is %s, want %+v", k, system.JSON(i), want)
		}
		for _, path := range []string{i.Links.Self, i.Links.Details, i.Links.Content, i.Links.Page} {
			if path == "" {
				continue
			}
			if resp, body := s.Ask(t, http.MethodGet, path, map[string]string{"X-Owner-Id": owner}, ""); resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusTemporaryRedirect || path != i.Links.Content) {
				t.Errorf("GET %s, a link of %s: %d %s, want 200, or 307 to the content", path, i.Name, resp.StatusCode, body)
			}
		}
		if one, err := c.Item(system.Within(t), i.Area, i.ID); err != nil || system.JSON(one) != system.JSON(i) {
			t.Errorf("the item is %s, error %v, want it as in the list: %s", system.JSON(one), err, system.JSON(i))
		}
	}

	if err := c.TrashNode(system.Within(t), docs.ID); err != nil {
		t.Fatal(err)
	}
	lists(t, c, client.ItemListing{Area: "library"})
	if _, err := c.Item(system.Within(t), "library", docs.ID); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a folder as an item: %v, want 404", err)
	}
}

// pagesAreStable: while a list is read in pages of one item, items are added and deleted. Each of the other items is on exactly
// one page.
func pagesAreStable(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	var want []string
	for n := range 3 {
		name := fmt.Sprintf("%d.txt", n)
		want = append(want, system.Reserve(t, c, name, "text/plain", "text").FileID)
		want = append(want, system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, uint32(50+n))).JobID)
		node, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: 5})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, node.ID)
	}
	slices.Reverse(want)
	lists(t, c, client.ItemListing{}, want...)
	var got []string
	l := client.ItemListing{Limit: 1}
	for n := 0; ; n++ {
		page, err := c.ItemPage(system.Within(t), l)
		if err != nil || len(page.Items) > 1 {
			t.Fatalf("page %d is %+v, error %v, want at most one item", n, page, err)
		}
		for _, i := range page.Items {
			got = append(got, i.ID)
		}
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			break
		}
		system.Reserve(t, c, fmt.Sprintf("new%d.txt", n), "text/plain", "new") // newer than what is on the pages
		switch n {
		case 0: // the item that was just returned, behind which its area continues
			err = c.TrashNode(system.Within(t), want[0])
		case 2: // items of later pages
			if err = c.DeletePhoto(system.Within(t), want[4]); err == nil {
				err = c.Delete(system.Within(t), want[5])
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rest := slices.Delete(slices.Clone(want), 4, 6)
	if i := slices.Index(got, want[4]); i >= 0 { // the index from which photos are listed is eventually consistent
		got = slices.Delete(got, i, i+1)
	}
	if !slices.Equal(got, rest) {
		t.Errorf("the pages contain %q, want %q", got, rest)
	}
}
