// Package find proves that one search finds the items of all areas.
package find

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"everything is found":      everythingIsFound,
		"pages have all hits":      pagesHaveAllHits,
		"hits state their pages":   hitsStateTheirPages,
		"deleted items are gone":   deletedItemsAreGone,
		"bad searches are refused": badSearchesAreRefused,
	}
}

// Callers states who may call the search.
func Callers() identity.Area {
	return identity.Area{Operations: map[string]identity.Operation{"GET /v1/search": {Kind: identity.Common, Query: "q=identity"}}}
}

// word returns a word that no other test uses.
func word() string { return "w" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20] }

// items are an owner's items, one of each area, with a common word.
type items struct {
	file  client.File
	photo client.Photo
	node  client.Node
	feed  system.FeedItem
}

func store(t *testing.T, s system.System, c *client.Client, common string) items {
	t.Helper()
	var all items
	text := "Some texts contain " + common + " and more."
	sum := sha256.Sum256([]byte(text))
	node, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
		Name: "letter.txt", Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]),
	}, client.Source{Content: strings.NewReader(text)})
	if err == nil {
		all.node, err = c.WaitNode(system.Within(t), node.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	all.file = system.Await(t, c, system.UploadMultipart(t, c, "book.txt", "text/plain", []byte("Ünïque text with "+common)).FileID)
	photo, err := c.UploadPhoto(system.Within(t), system.PhotoSource(common+".jpg", "rotate 90", system.DrawPhoto(t, 7)), client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all.photo = system.AwaitPhoto(t, c, photo.JobID, client.Completed)
	posting := system.NewPosting("Everyone reads " + common)
	posting.MatchedTags = []string{"find"}
	s.PostItem(t, posting)
	all.feed = s.Analyzed(t, posting.SourceID)
	return all
}

// find searches until the index has the current state of these items, named as area/id.
func find(t *testing.T, c *client.Client, q client.AreaSearch, after ...string) client.FoundPage {
	t.Helper()
	var page client.FoundPage
	for _, item := range append(after, "") {
		q.After = item
		var err error
		if page, err = c.Search(system.Within(t), q); err != nil {
			t.Fatalf("search %q after %q: %v", q.Query, item, err)
		}
	}
	return page
}

func (i items) named() []string {
	return []string{"textfile/" + i.file.FileID, "photojob/" + i.photo.JobID, "library/" + i.node.ID, "feed/" + i.feed.SourceID}
}

func named(page client.FoundPage) []string {
	var all []string
	for _, h := range page.Hits {
		all = append(all, h.Area+"/"+h.ID)
	}
	slices.Sort(all)
	return all
}

// everythingIsFound: one search finds the caller's items of every area by their texts, prompts and names, and of other owners
// only what they share.
func everythingIsFound(t *testing.T, s system.System) {
	common := word()
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	all := store(t, s, c, common)
	want := all.named()
	slices.Sort(want)
	page := find(t, c, client.AreaSearch{Query: strings.ToUpper(common)}, want...)
	if got := named(page); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for area, found := range page.Areas {
		if found.Total != 1 || found.TotalIsMinimum {
			t.Errorf("%s: got %+v, want 1 hit", area, found)
		}
	}
	for _, h := range page.Hits {
		if len(h.Snippets) == 0 || h.Name == "" || h.Status == "" || h.CreatedAt.IsZero() {
			t.Errorf("got %s, want a snippet, a name, a status and a time", system.JSON(h))
		}
		if resp, body := s.Ask(t, http.MethodGet, h.URL, map[string]string{"X-Owner-Id": c.OwnerID()}, ""); resp.StatusCode != http.StatusOK {
			t.Errorf("the URL of a hit %s: %d %s, want 200", h.URL, resp.StatusCode, body)
		}
	}
	if got := named(find(t, other, client.AreaSearch{Query: common})); !slices.Equal(got, want[:1]) {
		t.Errorf("another owner got %q, want only %q", got, want[:1])
	}
	for query, one := range map[string]client.AreaSearch{
		want[3]: {Query: "unique " + common}, want[1]: {Query: "some " + common}, want[2]: {Query: common + " rotate", Areas: []string{"photojob", "library"}}, want[0]: {Query: "type:message " + common},
	} {
		if got := named(find(t, c, one)); !slices.Equal(got, []string{query}) {
			t.Errorf("%+v: got %q, want %q", one, got, query)
		}
	}
}

// pagesHaveAllHits: pages of one hit contain all hits of all areas once, best first.
func pagesHaveAllHits(t *testing.T, s system.System) {
	common := word()
	c := s.Client(t, system.NewOwner())
	all := store(t, s, c, common)
	find(t, c, client.AreaSearch{Query: common}, all.named()...)
	var got []string
	score := 0.0
	q := client.AreaSearch{Query: common, Limit: 1}
	for pages := 0; pages < 20; pages++ {
		page, err := c.Search(system.Within(t), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range page.Hits {
			if got = append(got, h.Area+"/"+h.ID); len(got) > 1 && h.Score > score {
				t.Errorf("a hit with score %v follows one with %v, want the best first", h.Score, score)
			}
			score = h.Score
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	want := all.named()
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// hitsStateTheirPages: the search over all areas and the command line state the page of the words of a PDF, and of a text file with form
// feeds, and where the words are on the page of a PDF.
func hitsStateTheirPages(t *testing.T, s system.System) {
	common, owner := word(), system.NewOwner()
	c := s.Client(t, owner)
	content := wasmtest.PDF{Pages: []string{"one", "two " + common}}.Bytes()
	node, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: "paper.pdf", Size: int64(len(content)), ContentType: "application/pdf"},
		client.Source{Content: bytes.NewReader(content)})
	if err == nil {
		node, err = c.WaitNode(system.Within(t), node.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := system.Await(t, c, system.UploadMultipart(t, c, "rfc.txt", "text/plain", []byte("one\ftwo\fthree "+common)).FileID)
	page := find(t, c, client.AreaSearch{Query: common, Boxes: true}, "library/"+node.ID, "textfile/"+text.FileID)
	got := map[string]string{}
	for _, h := range page.Hits {
		got[h.Area] = fmt.Sprint(h.Snippets[0].PageType, h.Snippets[0].Page, len(h.Snippets[0].Boxes))
	}
	if want := map[string]string{"library": "page2 1", "textfile": "page3 0"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want the types, the pages and the numbers of boxes %v", got, want)
	}
	p := system.Launch(t, "assay", []string{"ASSAY_SERVER=" + s.HTTP, "ASSAY_OWNER=" + owner}, "find", common)
	if status := p.End(t); status != 0 || !strings.Contains(p.Output.String(), "page 2: two ["+common+"]") || !strings.Contains(p.Output.String(), "page 3: ") {
		t.Errorf("assay find printed %s with status %d, want the pages 2 and 3", p.Output, status)
	}
}

// deletedItemsAreGone: an item that was deleted is not found any more.
func deletedItemsAreGone(t *testing.T, s system.System) {
	common := word()
	c := s.Client(t, system.NewOwner())
	all := store(t, s, c, common)
	find(t, c, client.AreaSearch{Query: common}, all.named()...)
	if err := c.Delete(system.Within(t), all.file.FileID); err != nil {
		t.Fatal(err)
	}
	if err := c.DeletePhoto(system.Within(t), all.photo.JobID); err != nil {
		t.Fatal(err)
	}
	own := client.AreaSearch{Query: common, Areas: []string{"textfile", "photojob"}}
	if page := find(t, c, own); len(page.Hits) != 0 {
		t.Errorf("got %q, want no hits", named(page))
	}
	system.Eventually(t, func() error { // the index forgets them after the answer
		page, err := c.Search(system.Within(t), own)
		if err == nil && (page.Areas["textfile"].Total != 0 || page.Areas["photojob"].Total != 0) {
			err = fmt.Errorf("got the totals %+v, want 0 after the index has forgotten the items", page.Areas)
		}
		return err
	})
}

// badSearchesAreRefused: an error names the wrong parameter, and the position in the query.
func badSearchesAreRefused(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	for query, want := range map[string]struct{ code, field, message string }{
		"q=a+before%3Ayesterday": {"search-syntax", "query.q", "at character 3: "},
		"q=a&area=nothing":       {"invalid-request", "query.area", "feed, library, photojob, textfile"},
		"q=a&after=nothing":      {"invalid-request", "query.after", "an area and an id"},
		"q=a&cursor=nothing":     {"invalid-request", "query.cursor", ""},
		"q=":                     {"invalid-request", "query.q", ""},
	} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/search?"+query, map[string]string{"X-Owner-Id": c.OwnerID()}, "")
		p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, want.code)
		if len(p.Errors) != 1 || p.Errors[0].Field != want.field || !strings.Contains(p.Errors[0].Message, want.message) {
			t.Errorf("%s: got %s, want an error of %s with %q", query, body, want.field, want.message)
		}
	}
	for _, after := range []string{"textfile/" + uuid.NewString(), "photojob/none", "library/" + uuid.NewString(), "feed/rss#none"} {
		if resp, body := s.Ask(t, http.MethodGet, "/v1/search?q=a&after="+url.QueryEscape(after), map[string]string{"X-Owner-Id": c.OwnerID()}, ""); resp.StatusCode != http.StatusOK {
			t.Errorf("after %s: got %d %s, want 200 without a wait", after, resp.StatusCode, body)
		}
	}
}

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{"indexes are rebuilt": indexesAreRebuilt}
}

// indexesAreRebuilt: a process of query without an index builds one that finds what the previous process found, and a killed one
// continues with its index.
func indexesAreRebuilt(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	index := "ASSAY_INDEX=" + filepath.Join(t.TempDir(), "index")
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query", index)
	c.Service(t, "analyzer")
	c.Front(t, ingest, query)
	owner, common := system.NewOwner(), word()
	all := store(t, c.System, c.Client(t, owner), common)
	want := all.named()
	slices.Sort(want)
	for _, settings := range [][]string{{index}, {index}, nil} {
		if got := named(find(t, c.Client(t, owner), client.AreaSearch{Query: common}, want...)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		query.Kill(t)
		query = c.Service(t, "query", settings...)
		c.Front(t, ingest, query)
	}
	if got := named(find(t, c.Client(t, owner), client.AreaSearch{Query: common}, want...)); !slices.Equal(got, want) {
		t.Errorf("with a new index: got %q, want %q", got, want)
	}
}
