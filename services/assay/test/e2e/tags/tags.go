package tags

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// named is an item of an area.
type named struct{ area, id string }

func (n named) path(tag string) string {
	return "/v1/items/" + n.area + "/" + url.PathEscape(n.id) + "/tags/" + url.PathEscape(tag)
}

// add tags an item.
func add(t *testing.T, c *client.Client, n named, tags ...string) {
	t.Helper()
	for _, tag := range tags {
		if err := c.TagItem(system.Within(t), n.area, n.id, tag); err != nil {
			t.Fatalf("tag %s %s with %q: %v", n.area, n.id, tag, err)
		}
	}
}

// has checks the tags of an item, in the view of the item and in the list of items with each tag.
func has(t *testing.T, c *client.Client, n named, want ...string) {
	t.Helper()
	i, err := c.Item(system.Within(t), n.area, n.id)
	if err != nil || !slices.Equal(i.Tags, want) {
		t.Errorf("%s %s has the tags %q, error %v, want %q", n.area, n.id, i.Tags, err, want)
	}
	for _, tag := range want {
		if all := list(t, c, client.ItemListing{Tags: []string{strings.ToUpper(tag)}}); !slices.Contains(all, n) {
			t.Errorf("the items with the tag %q are %q, want %q among them", tag, all, n)
		}
	}
}

// list returns the items of a list.
func list(t *testing.T, c *client.Client, l client.ItemListing) (all []named) {
	t.Helper()
	for i, err := range c.Items(system.Within(t), l) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, named{i.Area, i.ID})
	}
	return all
}

// counts checks the list of the owner's tags.
func counts(t *testing.T, c *client.Client, want ...client.Tag) {
	t.Helper()
	if got, err := c.Tags(system.Within(t)); err != nil || !slices.Equal(got, want) {
		t.Errorf("the tags are %v, error %v, want %v", got, err, want)
	}
}

// text uploads a text file.
func text(t *testing.T, c *client.Client, name, content string) named {
	t.Helper()
	return named{"textfile", system.Await(t, c, system.UploadMultipart(t, c, name, "text/plain", []byte(content)).FileID).FileID}
}

// libraryFile uploads a file to the library and waits until it is processed.
func libraryFile(t *testing.T, c *client.Client, name, text string) named {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
		Name: name, Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]),
	}, client.Source{Content: strings.NewReader(text)})
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return named{"library", n.ID}
}

// message posts an item of the feed and waits until it is analyzed.
func message(t *testing.T, s system.System, text string) named {
	t.Helper()
	posting := system.NewPosting(text)
	posting.MatchedTags = []string{"tags"}
	if status, _ := s.PostItem(t, posting); status != http.StatusCreated {
		t.Fatalf("post %s: %d, want 201", posting.SourceID, status)
	}
	return named{"feed", s.Analyzed(t, posting.SourceID).SourceID}
}

// concurrentChangesLoseNothing: 20 concurrent requests give an item 20 tags, and concurrent requests remove half of them. The 21st
// tag is refused.
func concurrentChangesLoseNothing(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	n := named{"textfile", system.Reserve(t, c, "a.txt", "text/plain", "text").FileID}
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("tag %02d", i))
	}
	each := func(do func(tag string) error) {
		t.Helper()
		failed := make([]error, len(all))
		var group sync.WaitGroup
		for i, tag := range all {
			group.Go(func() { failed[i] = do(tag) })
		}
		group.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatal(err)
		}
	}
	within := system.Within(t)
	each(func(tag string) error { return c.TagItem(within, n.area, n.id, tag) })
	has(t, c, n, all...)
	resp, body := s.Ask(t, http.MethodPut, n.path("one more"), map[string]string{"X-Owner-Id": owner}, "")
	system.Refused(t, resp, body, http.StatusConflict, "too-many-tags")
	add(t, c, n, "TAG 07") // which it has
	each(func(tag string) error {
		if tag < "tag 10" {
			return c.UntagItem(within, n.area, n.id, strings.ToUpper(tag))
		}
		return c.TagItem(within, n.area, n.id, tag)
	})
	has(t, c, n, all[10:]...)
	each(func(tag string) error { return c.UntagItem(within, n.area, n.id, tag) })
	has(t, c, n)
	counts(t, c)
}

// eachOwnerHasItsOwn: the owner of a shared file and another reader tag it. Neither sees the tags of the other, and a caller tags
// only what it may see.
func eachOwnerHasItsOwn(t *testing.T, s system.System) {
	owner, reader, stranger := system.NewOwner(), system.NewOwner(), system.NewOwner()
	c, other := s.Client(t, owner), s.Client(t, reader)
	private, shared := libraryFile(t, c, "private.txt", "private"), libraryFile(t, c, "shared.txt", "shared")
	if err := c.PublishNode(system.Within(t), shared.id, true); err != nil {
		t.Fatal(err)
	}
	add(t, c, shared, "mine", "Budget")
	add(t, c, private, "mine")
	add(t, other, shared, "yours")
	has(t, c, shared, "Budget", "mine")
	has(t, other, shared, "yours")
	counts(t, c, client.Tag{Tag: "Budget", Items: 1}, client.Tag{Tag: "mine", Items: 2})
	counts(t, other, client.Tag{Tag: "yours", Items: 1})
	for _, path := range []string{private.path("x"), named{"photojob", "01J00000000000000000000000"}.path("x"), named{"feed", "rss#none"}.path("x"), named{"textfile", uuid.NewString()}.path("x")} {
		resp, body := s.Ask(t, http.MethodPut, path, map[string]string{"X-Owner-Id": stranger}, "")
		system.Refused(t, resp, body, http.StatusNotFound, "not-found")
	}
	if err := other.UntagItem(system.Within(t), shared.area, shared.id, "mine"); err != nil {
		t.Error(err)
	}
	if err := c.PublishNode(system.Within(t), shared.id, false); err != nil {
		t.Fatal(err)
	}
	has(t, c, shared, "Budget", "mine")
	if all := list(t, other, client.ItemListing{Tags: []string{"yours"}}); len(all) != 0 {
		t.Errorf("a file that is not shared any more is listed: %q", all)
	}
	if err := other.UntagItem(system.Within(t), shared.area, shared.id, "yours"); err != nil {
		t.Error(err)
	}
	counts(t, other)
}

// itemsOfAllAreasHaveThem: items of each area have tags, in every list and view, compared without case.
func itemsOfAllAreasHaveThem(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	all := []named{
		text(t, c, "a.txt", "words"), {"photojob", system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, 91)).JobID},
		libraryFile(t, c, "b.txt", "words"), message(t, s, "A lovely day with tags."),
	}
	for i, n := range all {
		add(t, c, n, []string{"Straße", "STRASSE", "strasse", "straße"}[i], "a/b: 50% & c", "Über\u00a0uns")
	}
	has(t, c, all[0], "a/b: 50% & c", "Straße", "Über uns")
	has(t, c, all[3], "a/b: 50% & c", "straße", "Über uns")
	counts(t, c, client.Tag{Tag: "a/b: 50% & c", Items: 4}, client.Tag{Tag: "STRASSE", Items: 4}, client.Tag{Tag: "Über uns", Items: 4})
	want := slices.Clone(all)
	slices.Reverse(want)
	if got := list(t, c, client.ItemListing{Tags: []string{"strasse", "ÜBER UNS"}}); !slices.Equal(got, want) {
		t.Errorf("got %q, want those tagged last first: %q", got, want)
	}
	if got := list(t, c, client.ItemListing{Tags: []string{"strasse"}, Area: "feed"}); !slices.Equal(got, all[3:]) {
		t.Errorf("got %q, want only those of the feed", got)
	}
	if got := list(t, c, client.ItemListing{Tags: []string{"strasse"}, Status: "failed"}); len(got) != 0 {
		t.Errorf("got %q, want no failed items", got)
	}
	if got := list(t, c, client.ItemListing{Tags: []string{"strasse", "none"}}); len(got) != 0 {
		t.Errorf("got %q, want none with both tags", got)
	}
	for i, err := range c.Items(system.Within(t), client.ItemListing{Area: "textfile"}) {
		if err != nil || !slices.Equal(i.Tags, []string{"a/b: 50% & c", "Straße", "Über uns"}) {
			t.Errorf("the list has the tags %q, error %v, want those of the item", i.Tags, err)
		}
	}
}

// pagesAreStable: pages of tagged items have each item once, while others are tagged and untagged.
func pagesAreStable(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	var want []named
	for range 5 {
		want = append(want, named{"textfile", system.Reserve(t, c, "a.txt", "text/plain", "text").FileID})
		add(t, c, want[len(want)-1], "x")
	}
	slices.Reverse(want)
	l := client.ItemListing{Tags: []string{"x"}, Limit: 2}
	var got []named
	for {
		page, err := c.ItemPage(system.Within(t), l)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			got = append(got, named{i.Area, i.ID})
		}
		if l.Cursor == "" {
			add(t, c, named{"textfile", system.Reserve(t, c, "new.txt", "text/plain", "text").FileID}, "x")
			if err := c.UntagItem(system.Within(t), "textfile", want[1].id, "x"); err != nil { // the last one of the page
				t.Fatal(err)
			}
		}
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// invalidRequestsAreExplained: a wrong tag, area or owner is named in a problem.
func invalidRequestsAreExplained(t *testing.T, s system.System) {
	owner := system.NewOwner()
	n := named{"textfile", system.Reserve(t, s.Client(t, owner), "a.txt", "text/plain", "text").FileID}
	for _, request := range []struct {
		caller, method, path string
		status               int
		slug, message        string
	}{
		{"", http.MethodPut, n.path("x"), http.StatusBadRequest, "owner-required", ""},
		{"", http.MethodDelete, n.path("x"), http.StatusBadRequest, "owner-required", ""},
		{"", http.MethodGet, "/v1/tags", http.StatusBadRequest, "owner-required", ""},
		{owner, http.MethodPut, n.path(strings.Repeat("é", 51)), http.StatusUnprocessableEntity, "invalid-request", "longer than 50 characters"},
		{owner, http.MethodPut, n.path(" \u200d "), http.StatusUnprocessableEntity, "invalid-request", "blank"},
		{owner, http.MethodPut, n.path("a\u202eb"), http.StatusUnprocessableEntity, "invalid-request", "direction of text"},
		{owner, http.MethodPut, named{"nothing", n.id}.path("x"), http.StatusNotFound, "not-found", ""},
		{owner, http.MethodDelete, named{"nothing", n.id}.path("x"), http.StatusNotFound, "not-found", ""},
		{owner, http.MethodGet, "/v1/items?tag=x&tag=%E2%80%8D", http.StatusUnprocessableEntity, "invalid-request", "blank"},
		{owner, http.MethodGet, "/v1/items?tag=x&cursor=wrong", http.StatusUnprocessableEntity, "invalid-request", ""},
		{owner, http.MethodGet, "/v1/items?tag=x&area=nothing", http.StatusUnprocessableEntity, "invalid-request", ""},
	} {
		header := map[string]string{}
		if request.caller != "" {
			header["X-Owner-Id"] = request.caller
		}
		resp, body := s.Ask(t, request.method, request.path, header, "")
		p := system.Refused(t, resp, body, request.status, request.slug)
		if request.message != "" && (len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, request.message)) {
			t.Errorf("%s %s: got %s, want an error with %q", request.method, request.path, body, request.message)
		}
	}
	add(t, s.Client(t, owner), n, strings.Repeat("é", 50), "e\u0301te\u0301")
	add(t, s.Client(t, owner), named{n.area, strings.ToUpper(n.id)}, "ÉTÉ")
	has(t, s.Client(t, owner), n, "été", strings.Repeat("é", 50))
}

// deletedItemsHaveNone: the tags of an item end with it.
func deletedItemsHaveNone(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	file := system.Reserve(t, c, "a.txt", "text/plain", "text").FileID
	photo := system.SendPhoto(t, c, "grayscale", system.DrawPhoto(t, 92)).JobID
	add(t, c, named{"textfile", file}, "x", "y")
	add(t, c, named{"photojob", photo}, "x")
	if err := errors.Join(c.Delete(system.Within(t), file), c.DeletePhoto(system.Within(t), photo)); err != nil {
		t.Fatal(err)
	}
	counts(t, c)
	if err := c.UntagItem(system.Within(t), "textfile", file, "x"); err != nil {
		t.Errorf("untag a deleted item: %v", err)
	}
}
