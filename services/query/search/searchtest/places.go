package searchtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/query/search"
)

// placesAreStated checks that snippets of a text state the page, the slide or the sheet of their words, also in long texts and after
// the file was renamed.
func placesAreStated(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	w.File(root, "paper.pdf", "the first apple\fa pear with an ap-\fplum, the last apple\f")
	w.paged(root, "talk.pptx", search.PageSlide, "\fthe apple slide")
	w.paged(root, "prices.xlsx", search.PageSheet, "Fruit\napple\t1\n\fEmpty\n\fVegetables & more\nleek\t2\tapple pie\n")
	w.File(root, "plain.txt", "an apple without pages")
	page := func(n int) search.Place { return search.Place{Page: n, Type: search.PagePlain} }
	sheet := func(n int, name string) search.Place {
		return search.Place{Page: n, Type: search.PageSheet, Sheet: name}
	}
	check := func() {
		t.Helper()
		w.at("apple type:pdf", page(1), page(3))
		w.at("pear", page(2))
		w.at("plum", page(3))
		w.at(`"ap plum"`, page(2)) // a phrase that continues on the next page
		w.at("first last", page(1), page(3))
		w.at("apple type:pptx", search.Place{Page: 2, Type: search.PageSlide})
		w.at("apple type:xlsx", sheet(1, "Fruit"), sheet(3, "Vegetables & more"))
		w.at("leek", sheet(3, "Vegetables & more"))
		w.at("apple type:txt", search.Place{})
	}
	check()
	for _, n := range w.Nodes {
		if n.Blob != nil {
			n.Name = "renamed " + n.Name
			w.Put(n)
		}
	}
	check()
	w.at("name:talk", search.Place{})
}

// placesInLongTexts checks the places in texts with many blocks, and with sheets that are longer than a block.
func placesInLongTexts(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	var book, table strings.Builder
	const pages = 700
	for page := 1; page <= pages; page++ {
		fmt.Fprintf(&book, "page%d %sé end%d\f", page, strings.Repeat("some ordinary words ", 50), page)
	}
	for sheet := 1; sheet <= 3; sheet++ {
		fmt.Fprintf(&table, "Sheet number %d\n", sheet)
		for row := range 6000 {
			fmt.Fprintf(&table, "row%dof%d\tsome ordinary words in cells\n", row, sheet)
		}
		table.WriteByte('\f')
	}
	w.File(root, "book.pdf", book.String())
	w.paged(root, "table.ods", search.PageSheet, table.String())
	for page := 1; page <= pages; page += 23 {
		want := search.Place{Page: page, Type: search.PagePlain}
		w.at(fmt.Sprintf("page%d", page), want)
		w.at(fmt.Sprintf("end%d", page), want)
	}
	for sheet := 1; sheet <= 3; sheet++ {
		for row := 0; row < 6000; row += 599 {
			w.at(fmt.Sprintf("row%dof%d", row, sheet), search.Place{Page: sheet, Type: search.PageSheet, Sheet: fmt.Sprintf("Sheet number %d", sheet)})
		}
	}
}

// at checks the places of the snippets of the only hit of a query of ann that are of its text.
func (w *World) at(query string, want ...search.Place) {
	w.t.Helper()
	parsed := w.Parsed(query)
	_, result := w.Search(search.Query{Caller: search.Caller{Owner: "ann"}, Terms: parsed.Terms, Filter: parsed.Filter})
	if len(result.Hits) != 1 {
		w.t.Errorf("%s: got %d hits, want 1", query, len(result.Hits))
		return
	}
	var got []search.Place
	for _, s := range result.Hits[0].Snippets {
		if s.Field != "text" && s.Place != (search.Place{}) {
			w.t.Errorf("%s: the snippet of the field %s is at %+v, want no place", query, s.Field, s.Place)
		}
		if s.Field == "text" {
			got = append(got, s.Place)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) && !(len(got) == 0 && want[0] == search.Place{}) {
		w.t.Errorf("%s: got snippets at %+v, want %+v", query, got, want)
	}
}
