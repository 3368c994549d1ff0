package library

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// contentsAreFound: files are found by title, author and keywords, by words at the end of long texts, by all digits of
// identifiers, and by words that the source of a text writes with escapes or marks, as soon as their version is indexed.
func contentsAreFound(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	core := officetest.Part{"docProps/core.xml", `<cp:coreProperties><dc:title>Annual Quuxreport</dc:title><dc:creator>Zoë Quokka</dc:creator><dc:subject>Growth</dc:subject><cp:keywords>apples, pears</cp:keywords></cp:coreProperties>`}
	long := strings.Repeat("ordinary words of a line\n", 20<<20/25) + "the very last latequux"
	page := file(t, c, "art.html", "", `<html><head><title>Preisliste für Müller</title><meta name="author" content="Jo Example"></head><body><p>Some words.</p></body></html>`)
	letter := file(t, c, "letter.docx", "", string(officetest.Word(officetest.Paragraph("", "Dear fox"), core)))
	open := file(t, c, "open.odt", "", string(officetest.OpenDocument("text", `<office:text><text:p>Dear dog</text:p></office:text>`,
		officetest.Part{"meta.xml", `<office:meta><dc:title>Odtquux</dc:title><meta:keyword>plums</meta:keyword></office:meta>`})))
	late := file(t, c, "late.txt", "", long)
	cut := file(t, c, "cut.xlsx", "", string(officetest.Workbook(`<row><c t="s"><v>0</v></c></row>`+strings.Repeat(`<row><c s="0"><v>4006381333948</v></c></row>`, 250_000), "cutquux")))
	book := file(t, c, "book.xlsx", "", string(officetest.Archive(
		officetest.Links("", "officeDocument", "xl/workbook.xml"),
		officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r0"/></sheets></workbook>`},
		officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "styles", "styles.xml"),
		officetest.Part{"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>`},
		officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c s="0"><v>4006381333931</v></c></row></sheetData></worksheet>`},
	)))
	source := file(t, c, "names.json", "", `{"name": "M\u00fcller", "city": "Z\u00fcrich\nHauptstrasse"}`)
	marks := file(t, c, "marks.md", "", "An *em*phasisquux word, and M&uuml;ller.")
	find := func(query, field string, want ...client.Node) client.SearchHit {
		t.Helper()
		var found client.SearchPage
		for _, n := range want {
			var err error
			if found, err = c.SearchLibrary(system.Within(t), client.Search{Query: query, After: client.NodeVersion(n)}); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]bool{}
		for _, h := range found.Hits {
			got[h.Node.ID] = true
		}
		for _, n := range want {
			if !got[n.ID] || found.Total != len(want) {
				t.Fatalf("%s: got %+v, want %s among %d hits", query, found.Hits, n.Name, len(want))
			}
		}
		first := found.Hits[0]
		if len(first.Snippets) == 0 || first.Snippets[0].Field != field {
			t.Errorf("%s: got snippets %+v, want the first of %s", query, first.Snippets, field)
		}
		return first
	}
	find("preisliste", "title", page)
	find("quuxreport fox", "title", letter)
	find("quokka", "author", letter)
	find("growth pears", "subject", letter)
	find("odtquux", "title", open)
	find("plums", "keywords", open)
	if h := find("latequux", "text", late); h.TextCut != "" || !strings.HasSuffix(h.Snippets[0].Parts[0].Text, "the very last ") {
		t.Errorf("latequux: got snippets %+v, cut %q, want the end of the text, which is complete", h.Snippets, h.TextCut)
	}
	if h := find("cutquux", "text", cut); !strings.Contains(h.TextCut, "only the first") {
		t.Errorf("cutquux: got cut %q, want that only the first numbers are searched", h.TextCut)
	}
	find("4006381333931", "text", book)
	find("müller", "title", page, source, marks)
	find("zürich hauptstrasse", "text", source)
	find("emphasisquux", "text", marks)
	for name, n := range map[string]client.Node{"4.00638E+12": book, `M\u00fcller`: source, "*em*phasisquux": marks} {
		text := read(t)(c.NodeText(system.Within(t), n.ID, client.Reading{}))
		if !strings.Contains(text, name) || strings.Contains(text, "4006381333931") {
			t.Errorf("%s: got the text %q, want it with %s and without all digits", n.Name, text, name)
		}
	}
	for query, want := range map[string]int{"q=%F0%9F%98%80": http.StatusOK, "q=%26+!": http.StatusOK, "q=fox&format=.docx": http.StatusOK, "q=fox&limit=0": http.StatusUnprocessableEntity, "q=fox&limit=1000": http.StatusUnprocessableEntity} {
		resp, body := request(t, s, http.MethodGet, "/v1/library/search?"+query, owner, "")
		if resp.StatusCode != want || strings.Contains(body, `"hits":[{`) != strings.Contains(query, ".docx") {
			t.Errorf("%s: got %d %s, want %d", query, resp.StatusCode, body, want)
		}
	}
	if resp, body := request(t, s, http.MethodGet, "/v1/library/search?q="+url.QueryEscape(`"dear fo`), owner, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("an open quotation: got %d %s, want 200", resp.StatusCode, body)
	}
}
