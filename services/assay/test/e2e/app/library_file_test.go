package app

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// libraryRecords: records are filtered with the query language of the API, and invalid queries are explained;
// exports contain the matching records, a click on a head sorts, and columns can be hidden.
func libraryRecords(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	var sdf strings.Builder
	for i := range 130 {
		sdf.WriteString(ring(fmt.Sprintf("molecule %d", i), float64(i)/10))
	}
	n := keep(t, s, p.Owner, "drugs.sdf", "", sdf.String())
	p.See(t, ".rows .cell-records", "130")
	p.Click(t, ".rows .name", "drugs.sdf")
	p.Wait(t, `document.querySelector(".drawings img")?.naturalWidth > 0`) // an image from the server, authenticated by the cookie
	p.State(t, "file-molecules")
	p.Click(t, "[role=tab]", "Records")
	p.See(t, ".rows .row", "molecule 0")
	p.Click(t, ".heading button", "Filter by logP")
	p.Eval(t, `const [, most] = await new Promise((done) => { const look = () => { const e = document.querySelectorAll("dialog input"); if (e.length === 2) done(e); else setTimeout(look, 20); }; look(); });
		most.value = "2.95"; most.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.State(t, "file-records-column")
	p.Click(t, "dialog button.primary:not(:disabled)", "Filter")
	p.See(t, ".list-end", "30 records of 130 match")
	if at := Read[string](t, p, `new URLSearchParams(location.search).get("filter")`); at != "logP <= 2.95" {
		t.Errorf("the filter is %q, want %q", at, "logP <= 2.95")
	}
	p.Eval(t, `const field = document.querySelector("input[name=filter]"); field.value = "logP<3"; field.form.requestSubmit()`)
	p.See(t, ".list-end", "30 records of 130 match")
	p.State(t, "file-records")
	if at := Read[string](t, p, "location.search"); at != "?tab=records&filter=logP%3C3" {
		t.Errorf("location.search = %q, want %q", at, "?tab=records&filter=logP%3C3")
	}
	p.See(t, "[role=status]", "30 of 130 records match")
	p.Click(t, ".heading .sort", "logP")
	p.Click(t, ".heading .sort.ascending", "logP")
	p.See(t, ".rows .row:first-child", "molecule 29")
	p.See(t, ".heading .sub", "0 – 2.9")
	p.Click(t, ".heading .sort.descending", "logP")
	p.See(t, ".rows .row:first-child", "molecule 0")
	p.Click(t, ".records-toolbar button", "Export")
	for format, is := range map[string]struct {
		mark  string
		count int
	}{"CSV": {"\n", 31}, "JSON Lines": {"\n", 30}, "SDF": {"$$$$", 30}} {
		export := Read[string](t, p, `fetch(`+find("[role=menuitem]", "Export as "+format)+`.href).then((r) => r.text())`)
		if found := strings.Count(export, is.mark); found != is.count {
			t.Errorf("the %s export contains %q %d times, want %d:\n%s", format, is.mark, found, is.count, export)
		}
	}
	p.Press(t, kb.Escape)
	p.See(t, "[role=columnheader]", "logP")
	p.Click(t, ".records-toolbar button", "Columns")
	p.Click(t, "dialog label", "logP")
	p.State(t, "file-columns")
	p.Click(t, "dialog button", "Show")
	p.Gone(t, "[role=columnheader]", "logP")
	p.Go(t, "/library/"+n.ID+"?tab=records&record=7")
	p.See(t, "dialog dd", "0.7")
	p.State(t, "file-record")
	p.Go(t, "/library/"+n.ID+"?tab=records&filter=logD%3C3")
	p.See(t, "#filter-error", `did you mean "logP"?`)
	p.Wait(t, `document.querySelector("input[name=filter][aria-invalid=true]")`)
	p.State(t, "file-records-wrong-filter")
	p.Go(t, "/library/"+n.ID+"?tab=metadata")
	p.See(t, ".grid th", "logP")
	p.Wait(t, `(() => {
		const names = [...document.querySelectorAll(".metadata dt")].map((e) => e.textContent);
		return names.filter((n) => /md5/i.test(n)).join() === "MD5" && names.includes("SHA-256");
	})()`)
	p.See(t, ".metadata dl div", "Length"+strings.Join(grouped(len(sdf.String())), ",")+" bytes")
	p.State(t, "file-metadata")
	p.Go(t, "/library/"+n.ID+"?tab=steps")
	p.See(t, ".steps li:has(strong)", "version 1")
	p.Gone(t, ".steps li", "records 1")
	p.Wait(t, `document.querySelector(".steps li").offsetWidth > document.querySelector(".steps").offsetWidth / 2`)
	p.State(t, "file-steps")
	plots(t, p, n)
}

// plots: two columns are shown as points, each of which opens its record, and one as a histogram. A filter applies to both.
func plots(t *testing.T, p *Page, n client.Node) {
	p.Go(t, "/library/"+n.ID+"?tab=records")
	p.Click(t, ".records-toolbar button", "Plot")
	p.Wait(t, `document.querySelectorAll(".plotted circle").length === 130`)
	p.Eval(t, `const [x, y] = document.querySelectorAll(".plot-card select");
		for (const [select, value] of [[x, "logP"], [y, "weight"]]) { select.value = value; select.dispatchEvent(new Event("change", { bubbles: true })); await new Promise((done) => requestAnimationFrame(done)); }`)
	p.See(t, "svg.plotted[role=img]", "weight by logP, 130 records")
	p.State(t, "file-plot")
	p.Eval(t, `document.querySelectorAll(".plotted circle")[7].dispatchEvent(new MouseEvent("click", { bubbles: true }))`)
	p.See(t, "dialog dd", "0.7")
	p.Click(t, "dialog button", "Close")
	p.Click(t, ".plot-card summary", "Show as a table")
	p.Click(t, ".plot-numbers button", "molecule 12")
	p.See(t, "dialog dd", "1.2")
	p.Go(t, "/library/"+n.ID+"?tab=records&plot=logP&filter=logP%3C3")
	p.See(t, "svg.plotted[role=img]", "Histogram of logP, 30 records")
	p.Click(t, ".plot-card summary", "Show as a table")
	p.Wait(t, `[...document.querySelectorAll(".plot-numbers td:last-child")].reduce((sum, e) => sum + Number(e.textContent), 0) === 30`)
	p.State(t, "file-histogram")
}

// ring returns an SDF record: cyclohexane with the field logP.
func ring(name string, logP float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n  test\n\n  6  6  0  0  0  0  0  0  0  0999 V2000\n", name)
	for i := range 6 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 3)
		fmt.Fprintf(&out, "%10.4f%10.4f%10.4f C   0  0\n", 1.4*cos, 1.4*sin, 0.0)
	}
	for i := range 6 {
		fmt.Fprintf(&out, "%3d%3d  1  0\n", i+1, (i+1)%6+1)
	}
	fmt.Fprintf(&out, "M  END\n>  <logP>\n%g\n\n$$$$\n", logP)
	return out.String()
}

// twoPages is a PDF without a cross-reference table, which readers rebuild.
const twoPages = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Count 2/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 400]/Resources<</Font<</F <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/Contents 5 0 R>> endobj
4 0 obj <</Type/Page/Parent 2 0 R/Contents 6 0 R>> endobj
5 0 obj <</Length 44>> stream
BT /F 24 Tf 40 300 Td (The first page) Tj ET
endstream endobj
6 0 obj <</Length 45>> stream
BT /F 24 Tf 40 300 Td (The second page) Tj ET
endstream endobj
trailer <</Root 1 0 R/Size 7>>
%%EOF
`

// kindsOfFiles: a failed file and its failed steps show the reason, and the file can be processed again; a PDF shows its
// pages, and a table its rows.
func kindsOfFiles(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	broken := keep(t, s, p.Owner, "broken.pdf", "", "%PDF-1.7\n%nothing")
	p.Go(t, "/library/"+broken.ID+"?tab=steps")
	p.See(t, ".notice.bad", "The file could not be processed. The document is not a PDF") // without the name of the step
	p.See(t, ".steps li .sub.bad", "PDF")
	p.State(t, "file-failed")
	p.Click(t, ".steps li button", "Retry")
	p.See(t, ".toast", "The step will run again")
	p.See(t, ".steps-head", "Run 2")
	p.Gone(t, ".steps li", "Open")
	p.See(t, ".steps li .sub.bad", "PDF")
	p.See(t, ".notice.bad", "The file could not be processed.") // the run has ended
	p.Click(t, ".page-head button", "Process again")
	p.See(t, ".steps-head", "Run 3")
	partly := keep(t, s, p.Owner, "partly.csv", "", "a,b\nx,y\nx,y,z\n")
	p.Go(t, "/library/"+partly.ID)
	p.See(t, ".notice.warn", "Parts of the file could not be processed. 1 of 2 records failed; the first, record 2: the row has 3 cells")
	p.State(t, "file-partly")
	previews(t, p, s)
	document := keep(t, s, p.Owner, "pages.pdf", "", twoPages)
	p.Go(t, "/library/"+document.ID)
	p.See(t, "figcaption", "Page 1 of 2")
	p.See(t, `figcaption a[href*="inline=true"]`, "Open all pages")
	p.State(t, "file-pdf")
	table := keep(t, s, p.Owner, "rows.csv", "", "country,capital\nFrance,Paris\nLatvia,Riga\n")
	p.Go(t, "/library/"+table.ID)
	p.See(t, ".grid td", "Riga")
	p.Click(t, ".page-head button", "More actions")
	p.Click(t, "[role=menuitem]", "Move to trash")
	p.See(t, "h1", "Library")
	p.Click(t, ".toast button", "Undo")
	p.See(t, ".rows .name", "rows.csv")
}

// previews: Markdown is shown as a page without its markup, code with colors, a zip archive as the list of its files, and a
// workbook as its rows.
func previews(t *testing.T, p *Page, s system.System) {
	notes := keep(t, s, p.Owner, "notes.md", "", "# Plan\n\n- **first** <b>item</b>\n- [link](javascript:alert(1))\n")
	p.Go(t, "/library/"+notes.ID)
	p.See(t, ".markdown h2", "Plan")
	p.See(t, ".markdown li", "first <b>item</b>")
	p.See(t, ".markdown li strong", "first")
	p.Gone(t, ".markdown a", "link")
	p.State(t, "file-markdown")
	p.Click(t, ".text-views button", "Show the source")
	p.See(t, "pre", "# Plan")
	code := keep(t, s, p.Owner, "main.go", "", "package main // entry\n")
	p.Go(t, "/library/"+code.ID)
	p.See(t, ".source .of-keyword", "package")
	p.See(t, ".source .of-comment", "// entry")
	p.State(t, "file-code")
	archive := keep(t, s, p.Owner, "archive.zip", "", zipped(t, [2]string{"docs/", ""}, [2]string{"docs/ü.txt", "content"}))
	p.Go(t, "/library/"+archive.ID)
	p.See(t, ".grid tr", "docs/ü.txt7 B")
	p.See(t, ".list-end", "1 file")
	p.State(t, "file-zip")
	const types = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	book := keep(t, s, p.Owner, "salts.xlsx", "", zipped(t,
		[2]string{"[Content_Types].xml", `<Types><Override PartName="/xl/workbook.xml" ContentType="` + types + `"/></Types>`},
		[2]string{"_rels/.rels", `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		[2]string{"xl/workbook.xml", `<workbook xmlns:r="n"><sheets><sheet name="Salts" r:id="r1"/></sheets></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		[2]string{"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>mass</v></c></row>` +
			`<row r="2"><c r="A2" t="str"><v>salt</v></c><c r="B2"><v>58.5</v></c></row></sheetData></worksheet>`}))
	p.Go(t, "/library/"+book.ID)
	p.See(t, ".grid th", "mass")
	p.See(t, ".grid td", "58.5")
}

// zipped returns a zip archive of files with a name and a content.
func zipped(t *testing.T, files ...[2]string) string {
	t.Helper()
	var out strings.Builder
	w := zip.NewWriter(&out)
	for _, file := range files {
		to, err := w.Create(file[0])
		if err == nil {
			_, err = io.WriteString(to, file[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// readDifferently: a form shows the first rows of a table as other options read them, processes the table with these options,
// and shows them afterwards.
func readDifferently(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library")
	n := keep(t, s, p.Owner, "results.csv", "", "sample;conc,unit\nA;1,mol\nB;2,mol\n")
	choose := func(label, value string) {
		t.Helper()
		p.Eval(t, `const select = [...document.querySelectorAll("dialog label")].find((e) => e.textContent.startsWith("`+label+`")).querySelector("select");
			select.value = "`+value+`"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
	}
	open := func() {
		t.Helper()
		p.Click(t, ".page-head button[aria-haspopup]", "")
		p.Click(t, "[role=menuitem]", "Read the table differently")
		p.See(t, "dialog td", "mol")
	}
	p.Go(t, "/library/"+n.ID)
	p.See(t, ".grid td", "mol")
	open()
	choose("Delimiter", ",")
	p.See(t, "dialog th", "sample;conc")
	choose("Delimiter", ";")
	p.See(t, "dialog th", "conc,unit")
	p.State(t, "file-reread")
	p.Click(t, "dialog button", "Process again")
	p.See(t, ".toast", "The file will be processed again.")
	p.See(t, ".grid td", "1,mol")
	open()
	p.Wait(t, `document.querySelectorAll("dialog select")[1].value === ";"`)
	choose("Delimiter", ",")
	p.See(t, "dialog th", "sample;conc")
	p.Click(t, "dialog button", "Process again")
	p.See(t, ".grid td", "A;1")
}
