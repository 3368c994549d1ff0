package library

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// paged is a PDF, a workbook and a presentation of an owner, all with the word placequux.
type paged struct{ paper, book, talk, plain client.Node }

func uploadPaged(t *testing.T, c *client.Client) paged {
	t.Helper()
	return paged{
		paper: file(t, c, "paper.pdf", "", string(wasmtest.PDF{Pages: []string{"The first page", "Some placequux foxes\nand another placequux", "The last foxes"}}.Bytes())),
		book: file(t, c, "book.xlsx", "", string(officetest.Archive(
			officetest.Links("", "officeDocument", "xl/workbook.xml"),
			officetest.Part{"xl/workbook.xml", `<workbook><sheets><sheet name="Prices" r:id="r0"/><sheet name="Foxes &amp; more" r:id="r1"/></sheets></workbook>`},
			officetest.Links("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "worksheet", "worksheets/sheet2.xml", "styles", "styles.xml"),
			officetest.Part{"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>`},
			officetest.Part{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c s="0"><v>4006381333931</v></c></row></sheetData></worksheet>`},
			officetest.Part{"xl/worksheets/sheet2.xml", `<worksheet><sheetData><row><c t="str"><v>placequux</v></c><c s="0"><v>4006381333948</v></c></row></sheetData></worksheet>`},
		))),
		talk:  file(t, c, "talk.odp", "", string(officetest.OpenDocument("presentation", `<draw:page/><draw:page/><draw:page><text:p>placequux</text:p></draw:page>`))),
		plain: file(t, c, "plain.txt", "", "a placequux without pages"),
	}
}

// hitsStatePlaces: a hit states the page, slide or sheet of its words, and for a PDF where they are on the page.
func hitsStatePlaces(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	all := uploadPaged(t, c)
	for query, want := range map[string]client.SearchSnippet{
		"placequux type:pdf":     {Page: 2, PageType: "page"},
		"first type:pdf":         {Page: 1, PageType: "page"},
		"placequux type:xlsx":    {Page: 2, PageType: "sheet", Sheet: "Foxes & more"},
		"4006381333931":          {Page: 1, PageType: "sheet", Sheet: "Prices"},
		"4006381333948":          {Page: 2, PageType: "sheet", Sheet: "Foxes & more"},
		"placequux type:odp":     {Page: 3, PageType: "slide"},
		"placequux type:txt":     {},
		"name:paper":             {},
		"placequux fox type:pdf": {Page: 2, PageType: "page"},
	} {
		found, err := c.SearchLibrary(system.Within(t), client.Search{Query: query, After: client.NodeVersion(all.plain), Boxes: true})
		if err != nil || len(found.Hits) != 1 {
			t.Errorf("%s: got %+v, %v, want 1 hit", query, found.Hits, err)
			continue
		}
		got := found.Hits[0].Snippets[0]
		if got.Page != want.Page || got.PageType != want.PageType || got.Sheet != want.Sheet {
			t.Errorf("%s: got a snippet of %s %d %q, want of %s %d %q", query, got.PageType, got.Page, got.Sheet, want.PageType, want.Page, want.Sheet)
		}
		if boxed := want.PageType == "page"; boxed != (len(got.Boxes) > 0) {
			t.Errorf("%s: got the boxes %+v, want some: %v", query, got.Boxes, boxed)
		}
	}
	without, err := c.SearchLibrary(system.Within(t), client.Search{Query: "placequux type:pdf"})
	if err != nil || len(without.Hits) != 1 || without.Hits[0].Snippets[0].Boxes != nil {
		t.Errorf("got %+v, %v, want no boxes that are not asked for", without.Hits, err)
	}
}

// pagesAreServed: the page of a file has its text, with the words of a query marked in all their forms, and placed if the file is a PDF.
// Others cannot read it.
func pagesAreServed(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	all := uploadPaged(t, c)
	for _, test := range []struct {
		node           client.Node
		page, pages    int
		pageType       string
		query, sheet   string
		marked, placed string // the text with the matches in brackets; the words with boxes
	}{
		{all.paper, 1, 3, "page", "", "", "The first page", "The first page"},
		{all.paper, 2, 3, "page", "fox placequux", "", "Some [placequux] [foxes]\nand another [placequux]", "Some placequux foxes and another placequux"},
		{all.paper, 2, 3, "page", `"placequux foxes" another* "absent words"`, "", "Some [placequux ][foxes]\nand [another] placequux", "Some placequux foxes and another placequux"},
		{all.paper, 3, 3, "page", "first foxes", "", "The last [foxes]", "The last foxes"},
		{all.book, 2, 2, "sheet", "placequux", "Foxes & more", "Foxes & more\n[placequux]\t4.00638E+12", ""},
		{all.talk, 3, 3, "slide", "placequux", "", "[placequux]", ""},
		{all.plain, 1, 1, "page", "PLACEQUUX -page", "", "a [placequux] without pages", ""},
	} {
		got, err := c.NodePage(system.Within(t), test.node.ID, test.page, test.query, client.Reading{})
		if err != nil {
			t.Errorf("page %d of %s: %v", test.page, test.node.Name, err)
			continue
		}
		marked, placed := "", ""
		for _, p := range got.Parts {
			if p.Match {
				marked += "[" + p.Text + "]"
			} else {
				marked += p.Text
			}
			if b := p.Box; b != nil {
				placed += p.Text + " "
				if b.Left <= 0 || b.Top <= 0 || b.Width <= 0 || b.Height <= 0 || b.Left+b.Width >= 1 || b.Top > 0.2 {
					t.Errorf("page %d of %s: %q is at %+v, want it near the top of the page", test.page, test.node.Name, p.Text, *b)
				}
			}
		}
		if strings.TrimSpace(marked) != test.marked || strings.Join(strings.Fields(placed), " ") != test.placed {
			t.Errorf("page %d of %s, %s: got %q with boxes of %q, want %q and %q", test.page, test.node.Name, test.query, marked, placed, test.marked, test.placed)
		}
		if sized := test.placed != ""; got.Page != test.page || got.Pages != test.pages || got.PageType != test.pageType || got.Sheet != test.sheet ||
			(got.Width == 612 && got.Height == 792) != sized {
			t.Errorf("got %+v, want %s %d of %d, sheet %q", got, test.pageType, test.page, test.pages, test.sheet)
		}
	}
	p := system.Launch(t, "assay", []string{"ASSAY_SERVER=" + s.HTTP, "ASSAY_OWNER=" + owner}, "library", "text", "/paper.pdf", "--page", "3")
	if status := p.End(t); status != 0 || p.Output.String() != "The last foxes\n" {
		t.Errorf("assay library text --page 3 printed %q with status %d, want the third page", p.Output, status)
	}
	at := func(page any, query string) string {
		return fmt.Sprintf("/v1/library/files/%s/pages/%v?%s", all.paper.ID, page, query)
	}
	for path, want := range map[string]int{at(4, ""): http.StatusNotFound, at(0, ""): http.StatusUnprocessableEntity, at("x", ""): http.StatusUnprocessableEntity, at(1, "q=-only"): http.StatusUnprocessableEntity} {
		if resp, body := request(t, s, http.MethodGet, path, owner, ""); resp.StatusCode != want {
			t.Errorf("%s: got %d %s, want %d", path, resp.StatusCode, body, want)
		}
	}
	if resp, body := request(t, s, http.MethodGet, at(1, ""), system.NewOwner(), ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another owner got %d %s, want 404", resp.StatusCode, body)
	}
	if resp, body := request(t, s, http.MethodGet, "/v1/library/files/"+file(t, c, "none.bin", "", "\x00\x01").ID+"/pages/1", owner, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a file without text: got %d %s, want 404", resp.StatusCode, body)
	}
}
