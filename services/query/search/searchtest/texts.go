package searchtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/query/search"
)

// phrasesContinue checks that a phrase is found across lines and pages.
func phrasesContinue(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	w.File(root, "lines.txt", "the end of a\nline\r\n\r\nand of a\fpage")
	for query, want := range map[string][]string{
		`"a line and of"`: {"lines.txt"}, `"of a page"`: {"lines.txt"}, `"a line" "a page"`: {"lines.txt"}, `"line of"`: {}, `"page the"`: {},
	} {
		w.wants(query, w.Find("ann", query), want...)
	}
}

// noWordsFindNothing checks that a query without words has no hits.
func noWordsFindNothing(t *testing.T, open Open) {
	w := NewWorld(t, open)
	w.File(w.Root("ann"), "😀.txt", "!? &")
	for _, query := range []string{"😀", "!?", "-", `"&"`, " "} {
		ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms(query)})
		if len(ids) != 0 || result.Total != 0 || result.Facets.Type == nil || result.Sequence == 0 {
			t.Errorf("%s: got %d hits and %+v, want none, with the sequence and empty facets", query, len(ids), result)
		}
	}
}

// longTextsAreSearched checks that the words of a long text are found wherever they are, with snippets, also after the file
// was renamed and when other texts follow.
func longTextsAreSearched(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	var b strings.Builder
	for line := 0; b.Len() < 8<<20; line++ { // a phrase that begins and ends with numbers is at every place, also between blocks
		fmt.Fprintf(&b, "line%d é the ordinary words of a line until%d\n", line, line)
		if line == 100 {
			b.WriteString("earlyquux first\n")
		}
	}
	b.WriteString("the very lätequux is here, also earlyquux")
	n := w.File(root, "long.txt", b.String())
	w.About[n.ID] = search.Text{Cut: "only the first bytes are stored"}
	n.Run++
	n = w.Put(n)
	w.Load()
	one := func(query, want string) {
		t.Helper()
		ids, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms(query)})
		if len(ids) != 1 || ids[0] != n.ID || result.Hits[0].Cut != "only the first bytes are stored" {
			t.Fatalf("%s: got %+v, want the long text, which is cut", query, result.Hits)
		}
		for _, s := range result.Hits[0].Snippets {
			var text strings.Builder
			for _, p := range s.Parts {
				text.WriteString(p.Text)
			}
			if s.Field == "text" && strings.Contains(text.String(), want) {
				return
			}
		}
		t.Errorf("%s: got snippets %+v, want one with %q", query, result.Hits[0].Snippets, want)
	}
	for range 2 {
		one("latequux", "the very lätequux is here, also earlyquux")
		one("earlyquux", "earlyquux first")
		one("ordinary latequux", "the very lätequux is here")
		one(`"very late"* until7`, "the very lätequux is here")
		one(`"until100 earlyquux first line101"`, "until100 earlyquux first line101")
		one("latequ* -absent", "lätequux is here, also earlyquux")
		for at := 1; at < 150; at += 7 {
			one(fmt.Sprintf(`"a line until%d line%d"`, at*1000, at*1000+1), fmt.Sprintf("of a line until%d line%d é the", at*1000, at*1000+1))
		}
		w.wants("absent", w.Find("ann", `"latequux very"`))
		n.Name = "renamed.txt"
		n = w.Put(n)
	}
	n.Run++
	w.Texts[n.ID] = "short text"
	n = w.Put(n)
	w.Load()
	w.wants("text of the earlier run", w.Find("ann", "latequux"))
	w.wants("short text", w.Find("ann", "short"), "renamed.txt")
	w.Remove(n)
	w.wants("removed", w.Find("ann", "short"))
}
