package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// snippets returns the snippets of a node with a text.
func snippets(t *testing.T, name, text string, asked search.Terms, properties ...search.Property) []search.Snippet {
	t.Helper()
	all, err := search.Snippets(name, properties, func(yield func(search.Excerpt, error) bool) { yield(search.Whole(text), nil) }, asked)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSnippets checks which passages are selected and that their parts are the text with white space collapsed.
func TestSnippets(t *testing.T) {
	parsed, err := terms.Parse(`budget "annual report" pla* -draft`)
	if err != nil {
		t.Fatal(err)
	}
	asked := parsed.Terms
	filler := strings.Repeat("filler words without use ", 20)
	text := "The budget alone. " + filler + "The <b>Annual\n\nReport</b> has the Budget and a plan. " + filler + "planning once more"
	got := snippets(t, "budget 2026.pdf", text, asked)
	if len(got) != 3 || got[0].Field != "name" || got[1].Field != "text" {
		t.Fatalf("got %+v, want one snippet of the name and two of the text", got)
	}
	marked := func(s search.Snippet) string {
		var b strings.Builder
		for _, p := range s.Parts {
			if p.Match {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	if s := marked(got[0]); s != "[budget] 2026.pdf" {
		t.Errorf("snippet of the name: got %q, want [budget] 2026.pdf", s)
	}
	if s := marked(got[2]); !strings.Contains(s, "The <b>[Annual Report]</b> has the [Budget] and a [plan].") || !strings.HasPrefix(s, "…") || !strings.HasSuffix(s, "…") {
		t.Errorf("second snippet of the text: got %q, want the sentence about the annual report, with its matches, between ellipses", s)
	}
	if got := snippets(t, "other", "an unrelated text", asked); len(got) != 0 {
		t.Errorf("got snippets %+v, want none", got)
	}
	if got := snippets(t, "other", "", asked, search.Property{Field: "author", Value: "an author"}, search.Property{Field: "title", Value: "The  plan"}); len(got) != 1 || got[0].Field != "title" || marked(got[0]) != "The [plan]" {
		t.Errorf("got snippets %+v, want one of the title", got)
	}
}

func FuzzSnippets(f *testing.F) {
	for _, query := range []string{`a "b c" d* -e`, `"`, `-"x"*`, "東京*", `title:"a b" -author:c`} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if parsed, err := terms.Parse(query); err == nil {
			snippets(t, query, query, parsed.Terms)
		}
	})
}

func TestParseSort(t *testing.T) {
	got, err := search.ParseSort("name,-size")
	if want := []search.Key{{By: search.ByName}, {By: search.BySize, Descending: true}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	for _, text := range []string{"", "color", "name,name", "name,-name", "name,size,createdAt,updatedAt", "name,"} {
		if keys, err := search.ParseSort(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, keys)
		}
	}
}
