package library

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// searchesFind: words of names and texts are found by users who can read the node, as soon as its version is
// indexed; trashed nodes, and nodes that are no longer shared, are not found.
func searchesFind(t *testing.T, s system.System) {
	word := "needle" + strings.ReplaceAll(system.NewOwner(), "-", "")[20:] // no other test uses it
	c, stranger, anonymous := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner()), s.Client(t, "")
	above := folder(t, c, "above", "")
	below := folder(t, c, "below", above.ID)
	named, text := file(t, c, word+".txt", "", "some text"), file(t, c, "a.md", below.ID, "A text with the "+strings.ToUpper(word)+" in it.")
	find := func(c *client.Client, q client.Search, want ...client.Node) client.SearchPage {
		t.Helper()
		page, err := c.SearchLibrary(system.Within(t), q)
		if err != nil {
			t.Fatal(err)
		}
		got, ids := []string{}, []string{}
		for _, h := range page.Hits {
			got = append(got, h.Node.ID)
		}
		for _, n := range want {
			ids = append(ids, n.ID)
		}
		if !slices.Equal(got, ids) || page.Total != len(want) {
			t.Errorf("%+v: hits %v of %d, want %v", q, got, page.Total, ids)
		}
		return page
	}
	find(c, client.Search{Query: word, After: client.NodeVersion(text), ParentID: above.ID}, text)
	page := find(c, client.Search{Query: word, After: client.NodeVersion(named)}, named, text)
	if snippet := page.Hits[1].Snippets; len(snippet) != 1 || !slices.Contains(snippet[0].Parts, client.SearchPart{Text: strings.ToUpper(word), Match: true}) {
		t.Errorf("the snippets are %+v, want one with the matching word", snippet)
	}
	if f := page.Facets; !slices.Equal(f.Type, []client.SearchCount{{Value: "File", Count: 2}}) || len(f.Format) != 2 || len(f.Year) != 1 || page.IndexedVersion == 0 {
		t.Errorf("facets %+v, indexed version %d; want 2 files, 2 formats, 1 year and a version", f, page.IndexedVersion)
	}
	find(c, client.Search{Query: word, Format: "md"}, text)
	find(c, client.Search{Query: word + " -text"})
	find(c, client.Search{Query: word + " type:md in:above/below size:>1 after:2020"}, text)
	find(c, client.Search{Query: word + " in:elsewhere"})
	find(c, client.Search{Query: "name:" + word}, named)
	find(c, client.Search{Query: "text:" + word}, text)
	find(c, client.Search{Query: `"with the ` + word + `"`}, text)
	find(stranger, client.Search{Query: word})
	find(anonymous, client.Search{Query: word})

	share := func(public bool) client.Node {
		t.Helper()
		if err := c.PublishNode(system.Within(t), above.ID, public); err != nil {
			t.Fatal(err)
		}
		n, err := c.Node(system.Within(t), above.ID, client.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	shared := share(true)
	page = find(stranger, client.Search{Query: word, After: client.NodeVersion(shared)}, text)
	if n := page.Hits[0].Node; n.OwnedBy != "" || n.Permissions != nil {
		t.Errorf("another owner's node is %+v, want no owner and no permissions", n)
	}
	find(anonymous, client.Search{Query: word, ParentID: above.ID}, text)
	find(c, client.Search{Query: word, After: client.NodeVersion(share(false)), ParentID: above.ID}, text) // waits for the index
	find(stranger, client.Search{Query: word})
	if _, err := stranger.SearchLibrary(system.Within(t), client.Search{Query: word, ParentID: above.ID}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a search in a folder that the caller may not read returned %v, want 404", err)
	}

	if err := c.TrashNode(system.Within(t), above.ID); err != nil {
		t.Fatal(err)
	}
	trashed, err := c.Node(system.Within(t), above.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	find(c, client.Search{Query: word, After: client.NodeVersion(trashed)}, named)
}

// searchesExplain: errors state what to do about an invalid query, or about a version that is not indexed in time.
func searchesExplain(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	for query, want := range map[string]string{"-only": "without a leading minus", "a*": "at least 2", "***": "has no prefix", "größe size:big": `at character 7: \"big\" is not a limit`} {
		resp, body := request(t, s, http.MethodGet, "/v1/library/search?q="+url.QueryEscape(query), owner, "")
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "urn:assay:problem:search-syntax") || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want 422 search-syntax with %q", query, resp.StatusCode, body, want)
		}
	}
	n := folder(t, c, "some folder", "")
	if _, err := c.SearchLibrary(system.Within(t), client.Search{Query: "some", After: client.NodeVersion(n)}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?q=", "?q=a&after=nonsense", "?q=a&cursor=nonsense", "?q=a&limit=0", "?q=a&from=yesterday", "?q=a&type=Thing", "?q=a+type:folder&type=File"} {
		if resp, body := request(t, s, http.MethodGet, "/v1/library/search"+query, owner, ""); resp.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d %s, want 422", query, resp.StatusCode, body)
		}
	}
	n.Version += 1000
	resp, body := request(t, s, http.MethodGet, "/v1/library/search?q=some&after="+url.QueryEscape(client.NodeVersion(n)), owner, "")
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "urn:assay:problem:index-not-ready") {
		t.Errorf("a version that is not indexed: %d %s, Retry-After %q; want 503 index-not-ready with Retry-After", resp.StatusCode, body, resp.Header.Get("Retry-After"))
	}
}

// listsAreSorted: the contents of a folder, nodes of one type, and public and shared nodes are listed in the requested
// order.
func listsAreSorted(t *testing.T, s system.System) {
	owner, reader := system.NewOwner(), system.NewOwner()
	c := s.Client(t, owner)
	in := folder(t, c, "in", "")
	folder(t, c, "Zebra", in.ID)
	file(t, c, "b.txt", in.ID, "two")
	last := file(t, c, "Ä.txt", in.ID, "longer text")
	after := client.NodeVersion(last)
	names := func(path string) string {
		t.Helper()
		resp, body := request(t, s, http.MethodGet, "/v1/library/nodes"+path, owner, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("GET nodes%s returned %d %s, want 200", path, resp.StatusCode, body)
		}
		var page client.NodePage
		system.Decode(t, body, &page)
		var all []string
		for _, n := range page.Nodes {
			all = append(all, n.Name)
		}
		return strings.Join(all, " ")
	}
	for path, want := range map[string]string{
		"/" + in.ID + "/children?sort=name&after=" + after:                "Ä.txt b.txt Zebra",
		"/" + in.ID + "/children?sort=-name&after=" + after:               "Zebra b.txt Ä.txt",
		"/" + in.ID + "/children?sort=-size,name&after=" + after:          "Ä.txt b.txt Zebra",
		"/" + in.ID + "/children?sort=createdAt&type=File&after=" + after: "b.txt Ä.txt",
		"?type=File&sort=name&after=" + after:                             "Ä.txt b.txt",
		"?type=File&sort=size&after=" + after:                             "b.txt Ä.txt",
	} {
		if got := names(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if resp, body := request(t, s, http.MethodGet, "/v1/library/nodes/"+in.ID+"/children?sort=color", owner, ""); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an unknown sort key: %d %s, want 422", resp.StatusCode, body)
	}
	if err := c.PublishNode(system.Within(t), in.ID, true); err != nil {
		t.Fatal(err)
	}
	n, err := c.Node(system.Within(t), in.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	listed := false
	for n, err := range s.Client(t, reader).PublicNodes(system.Within(t), client.Sorting{Sort: "-updatedAt", After: client.NodeVersion(n)}) {
		if err != nil {
			t.Fatal(err)
		}
		if listed = listed || n.ID == in.ID; n.OwnedBy != "" && n.OwnedBy != reader {
			t.Errorf("PublicNodes contains %+v, want no owner", n)
		}
	}
	if !listed {
		t.Errorf("PublicNodes does not contain the public folder %s", in.ID)
	}
	for n, err := range s.Client(t, reader).SharedNodes(system.Within(t), client.Sorting{Sort: "name"}) {
		t.Errorf("the shared nodes contain %+v, %v; want none", n, err)
	}
	text, err := c.NodeText(system.Within(t), last.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(text)
	if err := errors.Join(err, text.Close()); err != nil || string(got) != "longer text" {
		t.Errorf("the text is %q, %v; want %q", got, err, "longer text")
	}
}
