package searchtest

import (
	"slices"
	"testing"

	"github.com/assay-project/assay/services/query/search"
)

// formsAreFound checks that a word finds its other forms in the languages of the texts, after the word itself, and that
// phrases, prefixes and excluded words do not.
func formsAreFound(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	w.File(root, "a.txt", "She was running along the river in the morning, and she liked it very much.")
	w.File(root, "b.txt", "The engine runs quietly, which is what the engineers had promised us.")
	w.File(root, "c.txt", "They run every day in the park, and then they have breakfast together.")
	w.File(root, "d.txt", "Die alten Häuser am Fluss wurden im letzten Jahr vollständig renoviert.")
	w.File(root, "e.txt", "Les propositions que nous avons considérées seront publiées la semaine prochaine.")
	other := w.Root("bob")
	w.File(other, "private.txt", "Nobody else was runnings here, as far as the neighbours were told.")
	for query, want := range map[string][]string{
		"run":          {"a.txt", "b.txt", "c.txt"},
		"Running":      {"a.txt", "b.txt", "c.txt"},
		"engineer":     {"b.txt"},
		"run engineer": {"b.txt"},
		`"run"`:        {"c.txt"},
		`"run every"`:  {"c.txt"},
		"run*":         {"a.txt", "b.txt", "c.txt"},
		"engine -run":  {"b.txt"}, // only the word itself is excluded
		"haus":         {"d.txt"},
		"Hauses":       {"d.txt"},
		"considérer":   {"e.txt"},
		"considerer":   {"e.txt"},
	} {
		w.wants(query, w.Find("ann", query), want...)
	}
	ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms("run")})
	if w.Nodes[ids[0]].Name != "c.txt" || result.Hits[0].Score <= result.Hits[1].Score {
		t.Errorf("got %s first, with the scores %v and %v, want the file with the word itself, with a higher score", w.Nodes[ids[0]].Name, result.Hits[0].Score, result.Hits[1].Score)
	}
	for _, hit := range result.Hits {
		if !slices.ContainsFunc(hit.Snippets, func(s search.Snippet) bool {
			return slices.ContainsFunc(s.Parts, func(p search.Part) bool { return p.Match })
		}) {
			t.Errorf("got snippets %+v, want one in which a form is marked", hit.Snippets)
		}
	}
}

// typingErrorsAreFound checks that words with typing errors are found if the library has few hits otherwise: one error in words
// of at least 4 letters, two in words of at least 8.
func typingErrorsAreFound(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	w.File(root, "Quarterly Budget.pdf", "The laboratory published the measurements of the temperature.")
	w.File(root, "letter.txt", "Dear colleagues, the meeting takes place in Zürich on Monday.")
	w.File(root, "cat.txt", "a cat")
	other := w.Root("bob")
	w.File(other, "labor.txt", "laboratori")
	for query, want := range map[string][]string{
		"budgte":             {"Quarterly Budget.pdf"}, // swapped
		"bugdet":             {"Quarterly Budget.pdf"},
		"udget":              {"Quarterly Budget.pdf"}, // the first letter is missing
		"bubget":             {"Quarterly Budget.pdf"},
		"buudget":            {"Quarterly Budget.pdf"},
		"labratorry":         {"Quarterly Budget.pdf"}, // two errors
		"mesurments":         {"Quarterly Budget.pdf"},
		"budgets temprature": {"Quarterly Budget.pdf"}, // a form and an error
		"zurch":              {"letter.txt"},
		"letetr meeting":     {"letter.txt"},
		"bxdgxt":             {}, // two errors in a short word
		"cot":                {}, // a word of three letters
		`"budgte"`:           {},
		"bugdet*":            {},
		"laboratori":         {"Quarterly Budget.pdf"}, // not the file of the other owner
	} {
		w.wants(query, w.Find("ann", query), want...)
	}
	for i := range 6 {
		w.File(root, string(rune('a'+i))+" badget.txt", "")
	}
	w.wants("a word with enough hits", w.Find("ann", "badget"), "a badget.txt", "b badget.txt", "c badget.txt", "d badget.txt", "e badget.txt", "f badget.txt")
	w.Remove(w.File(root, "xylophone.txt", ""))
	w.wants("a word of a removed file", w.Find("ann", "xylophone"))
}
