package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// snippets returns the snippets of a node with a text.
func snippets(t *testing.T, name, text string, asked search.Terms, properties ...search.Property) []search.Snippet {
	t.Helper()
	all, err := search.Snippets(name, properties, func(yield func(search.Excerpt, error) bool) {
		whole := search.Whole(text)
		whole.Place = search.PlaceOf(text, "")
		yield(whole, nil)
	}, asked)
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

// TestSnippetsMarkAllMatches checks that every match in a snippet is marked, and that no snippet repeats another one.
func TestSnippetsMarkAllMatches(t *testing.T) {
	parsed, err := terms.Parse("fox")
	if err != nil {
		t.Fatal(err)
	}
	sentence := "The quick brown fox and another fox met a third fox near the old mill by the river. "
	var numbered strings.Builder
	for i := range 60 {
		fmt.Fprintf(&numbered, "The quick brown fox number %d met another fox near the old mill. ", i)
	}
	other := "A fox was never seen again in those woods after winter came. "
	for _, c := range []struct {
		text string
		want int
	}{
		{strings.Repeat(sentence, 9), 1},                         // overlapping, then equal passages
		{sentence + strings.Repeat("words ", 100) + sentence, 1}, // equal passages
		{sentence + strings.Repeat("words ", 100) + other + "end", 2},
		{numbered.String(), 1}, // passages that differ in their numbers only
		{numbered.String() + strings.Repeat("words ", 100) + other + "end", 2},
	} {
		got := snippets(t, "", c.text, parsed.Terms)
		if len(got) != c.want {
			t.Errorf("got %d snippets %+v, want %d", len(got), got, c.want)
		}
		for _, s := range got {
			for _, p := range s.Parts {
				if !p.Match && strings.Contains(p.Text, "fox") {
					t.Errorf("the part %q of a snippet has a match that is not marked", p.Text)
				}
			}
		}
	}
}

// TestSnippetsEndWithPages checks that snippets have the words of one page, and that an ellipsis means that the page continues.
func TestSnippetsEndWithPages(t *testing.T) {
	parsed, err := terms.Parse("fox")
	if err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("filler words without use ", 20)
	for text, want := range map[string]string{
		"a first page\fa fox\n\fa last page": "a fox",
		"a fox and more\f" + filler:          "a fox and more",
		"first\fa fox":                       "a fox",
	} {
		got := snippets(t, "", text, parsed.Terms)
		if len(got) != 1 || got[0].Page == 0 || strings.TrimSpace(shown(got[0])) != want {
			t.Errorf("%q: got %+v, want %q with a page", text, got, want)
		}
	}
	got := snippets(t, "", "first\f"+filler+"a fox "+filler+"\f"+filler, parsed.Terms)
	if text := shown(got[0]); got[0].Page != 2 || !strings.HasPrefix(text, "…") || !strings.HasSuffix(text, "…") {
		t.Errorf("got %q of page %d, want a part of page 2 between ellipses", text, got[0].Page)
	}
}

func shown(s search.Snippet) string {
	var b strings.Builder
	for _, p := range s.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TestFormsIn checks that other forms of the words of a query are marked in a text.
func TestFormsIn(t *testing.T) {
	parsed, err := terms.Parse(`run "fox" haus* -draft title:dog`)
	if err != nil {
		t.Fatal(err)
	}
	const text = "A runner runs; running foxes and a fox draft a Haustür for dogs."
	marked := []string{}
	for _, s := range search.Mark(text, search.FormsIn(text, parsed.Terms)) {
		marked = append(marked, text[s.Start:s.End])
	}
	if want := []string{"runs", "running", "fox", "Haustür"}; !slices.Equal(marked, want) {
		t.Errorf("got %q, want %q", marked, want)
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
