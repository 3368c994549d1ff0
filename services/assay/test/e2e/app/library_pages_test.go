package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// foundPages: a hit links to the page, slide or sheet with its words, which are marked in the text, and on the picture of a PDF or, on a page
// without a picture, where they are.
func foundPages(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	pages := make([]string, 12)
	for i := range pages {
		var text strings.Builder
		fmt.Fprintf(&text, "Chapter %d of the report about foxes\n \n", i+1)
		for line := range 30 {
			fmt.Fprintf(&text, "Line %d has the ordinary words of a page, which fill it to the end of the line.\n", line+1)
		}
		pages[i] = text.String()
	}
	pages[6] += "Here the budgets of the quokkas grow.\nAnother quokka has none.\n"
	paper := keep(t, s, p.Owner, "paper.pdf", "", string(wasmtest.PDF{Title: "Foxes", Pages: pages}.Bytes()))
	keep(t, s, p.Owner, "book.xlsx", "", string(officetest.Archive(
		officetest.Links("", "officeDocument", "xl/workbook.xml"),
		officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r0"/><sheet name="Animals" r:id="r1"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "worksheet", "worksheets/sheet2.xml"),
		officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c t="str"><v>price</v></c></row></sheetData></worksheet>`},
		officetest.Part{"xl/worksheets/sheet2.xml", `<worksheet><sheetData><row><c t="str"><v>a quokka</v></c></row></sheetData></worksheet>`},
	)))
	p.Wait(t, `(await fetch("/v1/library/search?q=quokka", { headers: { "X-Owner-Id": localStorage.getItem("assay-owner") } }).then((r) => r.json())).total === 2`)
	p.Go(t, "/search?q=quokka")
	p.See(t, ".snippet a", "Sheet Animals")
	p.State(t, "search-pages")
	p.Click(t, ".snippet a", "Page 7")
	p.See(t, ".pages-bar", "Page 7 of 12")
	p.See(t, "pre.text mark", "quokkas")
	p.See(t, "svg text", "budgets")
	if at := Read[string](t, p, "location.pathname + location.search"); at != "/library/"+paper.ID+"?page=7&q=quokka+%22quokkas%22" {
		t.Errorf("the link leads to %q, want page 7 with the words", at)
	}
	marks := Read[[]float64](t, p, `[...document.querySelectorAll(".page-mark")].map((mark) => {
		const words = [...document.querySelectorAll(".page-drawn text")].filter((e) => e.textContent.startsWith("quokka")), at = mark.getBoundingClientRect();
		return Math.min(...words.map((e) => { const r = e.getBoundingClientRect(); return Math.abs(r.left - at.left) + Math.abs(r.width - at.width); }));
	})`)
	if len(marks) != 2 || marks[0] > 3 || marks[1] > 3 {
		t.Errorf("got marks with the distances %v from a word, want two on the words", marks)
	}
	p.Wait(t, `(() => { const card = document.querySelector(".text-card").getBoundingClientRect(), at = document.querySelector("pre mark").getBoundingClientRect(); return card.top <= at.top && at.bottom <= card.bottom; })()`)
	p.State(t, "file-found")
	p.Go(t, "/library/"+paper.ID+"?q=foxes+chapter")
	p.See(t, ".pages-bar", "Page 1 of 12")
	p.Wait(t, `document.querySelector(".page-drawn img")?.naturalWidth > 0`)
	p.State(t, "file-found-picture")
	p.Click(t, ".pages-bar button:not(:disabled)", "")
	p.See(t, ".pages-bar", "Page 2 of 12")
	p.See(t, "pre.text mark", "foxes")
	p.Click(t, ".pages-bar button", "Show the complete file")
	p.See(t, "figcaption", "Page 1 of 12")
	p.Go(t, "/search?q=quokka")
	p.Click(t, ".snippet a", "Sheet Animals")
	p.See(t, ".pages-bar", "Sheet Animals, 2 of 2")
	p.See(t, "pre.text mark", "quokka")
	p.State(t, "file-found-sheet")
	p.Go(t, "/library/"+paper.ID+"?page=99")
	p.See(t, ".empty", "The text has no page 99: the last page is 12.")
}
