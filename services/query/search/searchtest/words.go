package searchtest

import (
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// wordsMatch checks that words, phrases, prefixes and exclusions match in names and texts, ignoring case and accents.
func wordsMatch(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	w.File(root, "Annual_Report-2026.pdf", "Revenue grew in Zürich by ten percent.")
	w.File(root, "notes.txt", "the report of the annual meeting; revenue fell")
	w.File(root, "東京.txt", "私は東京に住んでいます")
	w.File(root, "plan.docx", "reporting lines of the re-organization")
	w.Folder(root, "Reports")
	for query, want := range map[string][]string{
		"report":                  {"Annual_Report-2026.pdf", "Reports", "notes.txt", "plan.docx"}, // reports, reporting
		`"report"`:                {"Annual_Report-2026.pdf", "notes.txt"},
		"REPORT annual":           {"Annual_Report-2026.pdf", "notes.txt"},
		`"annual report"`:         {"Annual_Report-2026.pdf"},
		`"report of the"`:         {"notes.txt"},
		"rep*":                    {"Annual_Report-2026.pdf", "Reports", "notes.txt", "plan.docx"},
		"reporti*":                {"plan.docx"},
		`"annual rep"*`:           {"Annual_Report-2026.pdf"},
		`"report" -revenue`:       {},
		`"report" -zurich`:        {"notes.txt"},
		`"report" -"annual rep"*`: {"notes.txt"},
		"zürich":                  {"Annual_Report-2026.pdf"},
		"zurich":                  {"Annual_Report-2026.pdf"},
		"2026.pdf":                {"Annual_Report-2026.pdf"},
		"re-organization":         {"plan.docx"},
		"東京":                      {"東京.txt"},
		"京都":                      {},
		"annual zurich":           {"Annual_Report-2026.pdf"}, // one word in the name, one in the text
		"absent":                  {},
		`AND OR NOT NEAR`:         {},
		`body:report ^report`:     {}, // neither is syntax
		`name:report ^report`:     {"Annual_Report-2026.pdf", "Reports"},
		"name:report text:fell":   {},
		"text:report text:fell":   {"notes.txt"},
		`"report" -text:revenue`:  {},
	} {
		w.wants(query, w.Find("ann", query), want...)
	}
	_, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("annual zurich")})
	if h := result.Hits[0]; len(h.Snippets) != 2 || h.Snippets[0].Field != "name" || h.Snippets[1].Parts[1] != (search.Part{Text: "Zürich", Match: true}) {
		t.Errorf("got snippets %+v, want one of the name and one of the text that marks Zürich", h.Snippets)
	}
}

// namesCountMore checks that a match in a name ranks higher than one in a text.
func namesCountMore(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	for range 20 {
		w.File(root, "other.txt", "some words of a file that has no budget in its name, and more words, so that it is long")
	}
	named := w.File(root, "budget.txt", "an unrelated text")
	ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("budget")})
	if len(ids) != 21 || ids[0] != named.ID || result.Hits[0].Score <= result.Hits[1].Score {
		t.Errorf("got %d hits, the first %s with the scores %v and %v, want 21 hits, the first budget.txt with a higher score",
			len(ids), w.Nodes[ids[0]].Name, result.Hits[0].Score, result.Hits[1].Score)
	}
}

// filtersAndFacets checks that filters are combined with AND, and that facets count the remaining hits.
func filtersAndFacets(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	above := w.Folder(root, "alpha above")
	below := w.Folder(above, "alpha below")
	w.File(root, "alpha.pdf", "")
	old := w.File(below, "alpha.TXT", "")
	old.CreatedAt = "2019-02-03T00:00:00.000Z"
	w.Put(old)
	failed := w.File(above, "alpha.txt", "")
	failed.Status = library.Failed
	w.Put(failed)
	find := func(f search.Filter) ([]string, search.Result) {
		ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("alpha"), Filter: f})
		return ids, result
	}
	for name, test := range map[string]struct {
		filter search.Filter
		want   int
	}{
		"none":     {search.Filter{}, 5},
		"type":     {search.Filter{Kind: search.KindFolder}, 2},
		"format":   {search.Filter{Format: "txt"}, 2},
		"status":   {search.Filter{Status: string(library.Failed)}, 1},
		"below":    {search.Filter{Below: above.ID}, 3},
		"from":     {search.Filter{From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}, 4},
		"to":       {search.Filter{To: time.Date(2019, 2, 3, 0, 0, 0, 1e6, time.UTC)}, 1},
		"combined": {search.Filter{Kind: search.KindFile, Format: "txt", Below: above.ID, Status: string(library.Processed)}, 1},
		"unknown":  {search.Filter{Below: w.id()}, 0},
		"in":       {search.Filter{In: "Alpha Above"}, 3},
		"in path":  {search.Filter{In: "/alpha above/ALPHA BELOW"}, 1},
		"in part":  {search.Filter{In: "alpha above/alpha below/"}, 1},
		"not root": {search.Filter{In: "/alpha below"}, 0},
		"in none":  {search.Filter{In: "beta"}, 0},
		"larger":   {search.Filter{MinSize: 1}, 0},
		"smaller":  {search.Filter{Kind: search.KindFile, MaxSize: 1}, 3},
	} {
		if ids, result := find(test.filter); len(ids) != test.want || result.Total != test.want {
			t.Errorf("%s: got %d hits, total %d, want %d", name, len(ids), result.Total, test.want)
		}
	}
	_, result := find(search.Filter{})
	want := search.Facets{
		Type: []search.Count{{Value: "Folder", Count: 2}, {Value: "File", Count: 3}}, Format: []search.Count{{Value: "txt", Count: 2}, {Value: "pdf", Count: 1}},
		Year: []search.Count{{Value: "2019", Count: 1}, {Value: "2024", Count: 4}},
	}
	equal := func(a, b []search.Count) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	if got := result.Facets; !equal(got.Type, want.Type) || !equal(got.Format, want.Format) || !equal(got.Year, want.Year) {
		t.Errorf("got facets %+v, want %+v", got, want)
	}
}
