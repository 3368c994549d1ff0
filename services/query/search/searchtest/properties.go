package searchtest

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// propertiesCountAsNames checks that the words of properties are found like those of names, also after the file was renamed,
// and that those of an earlier run are not.
func propertiesCountAsNames(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	long := strings.Repeat("filler ", 200) + "keyword"
	n := w.File(root, "scan.pdf", "a text of two pages", search.Property{Field: "title", Value: "Annual Report"},
		search.Property{Field: "author", Value: "Zoë Example"}, search.Property{Field: "keywords", Value: long})
	w.File(root, "other.txt", strings.Repeat("annual report by zoe ", 50))
	queries := map[string][]string{
		"annual": {"other.txt", "scan.pdf"}, `"annual report"`: {"other.txt", "scan.pdf"}, "zoe example": {"scan.pdf"}, "keyword pages": {"scan.pdf"}, "repo* -filler": {"other.txt"},
		`"report zoe"`: {}, `"example filler"`: {}, // in different properties
		"title:annual": {"scan.pdf"}, `title:"annual report"`: {"scan.pdf"}, "title:ann*": {"scan.pdf"}, "from:zoë pages": {"scan.pdf"}, "keyword:keyword": {"scan.pdf"},
		"author:annual": {}, `author:"example filler"`: {}, "annual -author:zoe": {"other.txt"}, "titl*": {}, "name:annual": {},
	}
	for query, want := range queries {
		w.wants(query, w.Find("ann", query), want...)
	}
	ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("annual")})
	if ids[0] != n.ID {
		t.Errorf("annual: got %s first, want scan.pdf", w.Nodes[ids[0]].Name)
	}
	if s := result.Hits[0].Snippets; len(s) != 1 || s[0].Field != "title" || len(s[0].Parts) != 2 || s[0].Parts[0] != (search.Part{Text: "Annual", Match: true}) || s[0].Parts[1].Text != " Report" {
		t.Errorf("annual: got snippets %+v, want the title", s)
	}
	_, result = w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("keyword")})
	if s := result.Hits[0].Snippets; len(s) != 1 || s[0].Field != "keywords" || len(s[0].Parts[0].Text) > 200 {
		t.Errorf("keyword: got snippets %+v, want a part of the keywords", s)
	}
	n.Name = "renamed.pdf"
	n = w.Put(n)
	w.wants("renamed", w.Find("ann", "zoe example"), "renamed.pdf")
	n.Run++
	w.Texts[n.ID], w.About[n.ID] = "", search.Text{Properties: []search.Property{{Field: "title", Value: "Second"}}}
	n = w.Put(n)
	w.Load()
	w.wants("title of the first run", w.Find("ann", "zoe example"))
	w.wants("title of the second run", w.Find("ann", "second"), "renamed.pdf")
	w.Remove(n)
	w.wants("removed", w.Find("ann", "second"))
}

// namesCountMoreThanAnyCount checks that a hit with a word of the query in its name or title precedes one that has all words
// only in its text, however often, and that a hit with more words in its name precedes one with fewer.
func namesCountMoreThanAnyCount(t *testing.T, open Open) {
	for _, count := range []int{1, 50, 20_000} {
		w := NewWorld(t, open)
		root := w.Root("ann")
		words := strings.Repeat("budget report ", count)
		texts := w.File(root, "other.txt", words)
		long := w.File(root, "budget.txt", strings.Repeat("x y z ", 30_000)+"report")
		title := w.File(root, "scan.pdf", "report", search.Property{Field: "title", Value: "The budget of the year"})
		both := w.File(root, "report on the budget.txt", "x")
		one := w.File(root, "budget plan.txt", words)
		for range 20 { // so that the words are rare, or frequent without them
			if count == 50 {
				w.File(root, "unrelated.txt", "unrelated")
			}
		}
		for query, first := range map[string][]library.Node{"budget": nil, "budget report": {both}, "bud* rep*": {both}} {
			ids, _ := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms(query)})
			if len(ids) != 5 || ids[4] != texts.ID {
				t.Errorf("%s, %d times: got %d hits, the last %s, want 5, the last other.txt", query, count, len(ids), w.Nodes[ids[len(ids)-1]].Name)
			}
			if len(first) > 0 && ids[0] != first[0].ID {
				t.Errorf("%s, %d times: got %s first, want %s; the others are %s, %s and %s", query, count, w.Nodes[ids[0]].Name, both.Name, long.Name, title.Name, one.Name)
			}
		}
	}
}
