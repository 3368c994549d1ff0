package tags

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// word returns a word that no other test uses.
func word() string { return "w" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20] }

func hits(page client.FoundPage) []named {
	var all []named
	for _, h := range page.Hits {
		all = append(all, named{h.Area, h.ID})
	}
	return all
}

// sorted returns items in the order of areas and ids.
func sorted(all []named) []named {
	return slices.SortedFunc(slices.Values(all), func(a, b named) int { return strings.Compare(a.area+a.id, b.area+b.id) })
}

// finds checks the hits of a query, in any order.
func finds(t *testing.T, c *client.Client, query string, want ...named) {
	t.Helper()
	page, err := c.Search(system.Within(t), client.AreaSearch{Query: query})
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	if got := sorted(hits(page)); !slices.Equal(got, sorted(want)) {
		t.Errorf("%q: got %q, want %q", query, got, sorted(want))
	}
}

// stored stores an item in each of three areas, with a common word, and waits until the search has them.
func stored(t *testing.T, s system.System, c *client.Client, common string) (file, node, news named) {
	t.Helper()
	file, node = text(t, c, "a.txt", "some text with "+common), libraryFile(t, c, "b.txt", "another text with "+common)
	news = message(t, s, "Everyone reads "+common)
	for _, n := range []named{file, node, news} {
		if _, err := c.Search(system.Within(t), client.AreaSearch{Query: common, After: n.area + "/" + n.id}); err != nil {
			t.Fatalf("wait for %s %s: %v", n.area, n.id, err)
		}
	}
	return file, node, news
}

// theSearchFindsThemAtOnce: the search finds an item by a tag as soon as the request that gave it has returned, with words and
// without, and not any more as soon as the tag is removed.
func theSearchFindsThemAtOnce(t *testing.T, s system.System) {
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	common := word()
	file, node, news := stored(t, s, c, common)
	finds(t, c, common, file, node, news)
	finds(t, c, common+" tag:budget")
	add(t, c, file, "Budget")
	finds(t, c, common+" tag:budget", file)
	add(t, c, node, "budget", "two words")
	add(t, c, news, "BUDGET")
	finds(t, c, common+" tag:budget", file, node, news)
	finds(t, c, `tag:BUDGET tag:"two words"`, node)
	finds(t, c, "tag:budget", file, node, news)
	finds(t, c, "tag:budget type:message", news)
	finds(t, c, "tag:budget -tag:\"two words\"", file, news)
	finds(t, c, common+" -tag:budget")
	finds(t, other, common+" tag:budget")
	finds(t, other, common+" -tag:budget", news)
	if err := c.UntagItem(system.Within(t), file.area, file.id, "budget"); err != nil {
		t.Fatal(err)
	}
	finds(t, c, common+" tag:budget", node, news)
	finds(t, c, common+" -tag:budget", file)
	found, err := c.SearchLibrary(system.Within(t), client.Search{Query: "tag:budget"})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Node.ID != node.id || found.Total != 1 {
		t.Errorf("the search of the library found %+v, error %v, want only %s", found, err, node.id)
	}
	var got []named
	for q := (client.AreaSearch{Query: "tag:budget", Limit: 1}); ; {
		page, err := c.Search(system.Within(t), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, hits(page)...)
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	if want := sorted([]named{node, news}); !slices.Equal(sorted(got), want) {
		t.Errorf("the pages have %q, want %q", got, want)
	}
}

// savedOnesAreRun: a saved search returns the hits that its query has at the time of the call, for its owner only.
func savedOnesAreRun(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c, other := s.Client(t, owner), s.Client(t, system.NewOwner())
	common := word()
	file, node, news := stored(t, s, c, common)
	first, err := c.SaveSearch(system.Within(t), "budgets", common+" tag:budget", "textfile", "library")
	if err != nil || first.Name != "budgets" || !slices.Equal(first.Areas, []string{"library", "textfile"}) || first.CreatedAt.IsZero() {
		t.Fatalf("saved %+v, error %v, want the search", first, err)
	}
	runs := func(name string, want ...named) {
		t.Helper()
		page, err := c.RunSearch(system.Within(t), name, 0, "")
		if got := sorted(hits(page)); err != nil || !slices.Equal(got, sorted(want)) {
			t.Errorf("%s has %q, error %v, want %q", name, got, err, sorted(want))
		}
	}
	runs("budgets")
	for _, n := range []named{file, node, news} {
		add(t, c, n, "budget")
	}
	runs("budgets", file, node)
	page, err := c.RunSearch(system.Within(t), "budgets", 1, "")
	if err != nil || len(page.Hits) != 1 || page.NextCursor == "" {
		t.Fatalf("got %+v, error %v, want a page with one hit", page, err)
	}
	second, err := c.RunSearch(system.Within(t), "budgets", 1, page.NextCursor)
	if err != nil || len(second.Hits) != 1 || second.Hits[0].ID == page.Hits[0].ID {
		t.Errorf("got %+v, error %v, want the other hit", second, err)
	}
	resp, body := s.Ask(t, http.MethodPut, "/v1/searches/budgets", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, `{"q":"tag:budget type:message"}`)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("replaced with %d %s, want 200", resp.StatusCode, body)
	}
	runs("budgets", news)
	if one, err := c.SavedSearch(system.Within(t), "budgets"); err != nil || one.Query != "tag:budget type:message" || len(one.Areas) != 0 || !one.CreatedAt.Equal(first.CreatedAt) || one.UpdatedAt.Before(first.UpdatedAt) {
		t.Errorf("got %+v, error %v, want the new query", one, err)
	}
	if _, err := other.SavedSearch(system.Within(t), "budgets"); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the search of another owner: %v, want 404", err)
	}
	if _, err := other.RunSearch(system.Within(t), "budgets", 0, ""); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the hits for another owner: %v, want 404", err)
	}
	for range 2 {
		if err := c.DeleteSearch(system.Within(t), "budgets"); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := c.SavedSearches(system.Within(t)); err != nil || len(all) != 0 {
		t.Errorf("got %+v, error %v, want no searches", all, err)
	}
}

// invalidOnesAreNotSaved: a wrong query, area or name is refused, with the position of the error in the query.
func invalidOnesAreNotSaved(t *testing.T, s system.System) {
	owner := map[string]string{"X-Owner-Id": system.NewOwner(), "Content-Type": "application/json"}
	for _, request := range []struct{ name, body, slug, field, message string }{
		{"a", `{"q":"budget before:yesterday"}`, "search-syntax", "body.q", "at character 8: "},
		{"a", `{"q":"größe tag:"}`, "search-syntax", "body.q", "at character 7: tag: has no value"},
		{"a", `{"q":"type:pdf"}`, "search-syntax", "body.q", "has only filters"},
		{"a", `{"q":"-tag:budget"}`, "search-syntax", "body.q", "has only filters"},
		{"a", `{"q":"budget","areas":["nothing"]}`, "invalid-request", "body.areas", "feed, library, photojob, textfile"},
		{"a", `{"q":""}`, "invalid-request", "body.q", ""},
		{"UPPER", `{"q":"budget"}`, "invalid-request", "path.name", ""},
	} {
		resp, body := s.Ask(t, http.MethodPut, "/v1/searches/"+request.name, owner, request.body)
		p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, request.slug)
		if len(p.Errors) != 1 || p.Errors[0].Field != request.field || !strings.Contains(p.Errors[0].Message, request.message) {
			t.Errorf("%s: got %s, want an error of %s with %q", request.body, body, request.field, request.message)
		}
	}
	for _, path := range []string{"/v1/searches", "/v1/searches/a", "/v1/searches/a/hits"} {
		resp, body := s.Ask(t, http.MethodGet, path, nil, "")
		system.Refused(t, resp, body, http.StatusBadRequest, "owner-required")
	}
}

// anOwnerSavesAtMost100: the 101st search is refused, and a saved one can be replaced.
func anOwnerSavesAtMost100(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	for n := range 100 {
		if _, err := c.SaveSearch(system.Within(t), fmt.Sprintf("s-%03d", n), "budget"); err != nil {
			t.Fatal(err)
		}
	}
	resp, body := s.Ask(t, http.MethodPut, "/v1/searches/more", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, `{"q":"budget"}`)
	system.Refused(t, resp, body, http.StatusConflict, "too-many-searches")
	if _, err := c.SaveSearch(system.Within(t), "s-000", "plan"); err != nil {
		t.Error(err)
	}
	if all, err := c.SavedSearches(system.Within(t)); err != nil || len(all) != 100 || all[0].Query != "plan" || all[99].Name != "s-099" {
		t.Errorf("got %d searches, error %v, want 100 by name", len(all), err)
	}
}
