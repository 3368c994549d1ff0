package office_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

var reasons = []error{office.ErrFormat, office.ErrLocked, office.ErrDamaged, office.ErrTooBig}

func TestBounds(t *testing.T) {
	many := make([]officetest.Part, 101)
	for i := range many {
		many[i] = officetest.Part{fmt.Sprintf("p%d", i), ""}
	}
	for name, c := range map[string]struct {
		data []byte
		l    office.Limits
		want error
	}{
		"parts":      {officetest.Archive(many...), office.Limits{Parts: 100}, office.ErrTooBig},
		"inflated":   {officetest.Word(strings.Repeat("<w:p></w:p>", 100_000)), office.Limits{Inflated: 1 << 20}, office.ErrTooBig},
		"large text": {officetest.Word(officetest.Paragraph("", strings.Repeat("a", 2<<20))), office.Limits{Inflated: 1 << 20}, office.ErrTooBig},
		"dense":      {officetest.Word(strings.Repeat("<w:p></w:p>", 2_000_000)), office.Limits{}, office.ErrTooBig},
		"empty":      {nil, office.Limits{}, office.ErrFormat},
		"zip":        {officetest.Archive(officetest.Part{"a.txt", "a"}), office.Limits{}, office.ErrFormat},
		"truncated":  {officetest.Word(officetest.Paragraph("", "a"))[:300], office.Limits{}, office.ErrDamaged},
		"locked":     {officetest.Archive(officetest.Part{"mimetype", "application/vnd.oasis.opendocument.text"}, officetest.Part{"META-INF/manifest.xml", `<m:manifest><m:encryption-data/></m:manifest>`}, officetest.Part{"content.xml", "x"}), office.Limits{}, office.ErrLocked},
	} {
		if _, err := read(t, c.data, c.l); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func TestTextIsTruncated(t *testing.T) {
	d, err := read(t, officetest.Word(officetest.Paragraph("", "ää")+officetest.Paragraph("", strings.Repeat("b", 100))), office.Limits{Text: 8})
	if err != nil || d.Text != "ää\nbbb" || d.Cut == "" {
		t.Errorf("got %+v, %v, want the first 8 bytes and the reason", d, err)
	}
	d, err = read(t, officetest.Word(officetest.Paragraph("", "aäääää")), office.Limits{Text: 8})
	if err != nil || d.Text != "aäää" || d.Cut == "" {
		t.Errorf("got %+v, %v, want the first 7 bytes and the reason", d, err)
	}
}

func TestDamagedPart(t *testing.T) {
	d, err := read(t, officetest.Word(officetest.Paragraph("", "before")+"<w:p <<<"), office.Limits{})
	if err != nil || d.Text != "before" || d.Damaged != 1 {
		t.Errorf("got %+v, %v, want the text before the damage and 1 damaged part", d, err)
	}
}

func TestReadStopsWhenCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := officetest.Word(officetest.Paragraph("", "a"))
	if _, err := office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

var mutations = flag.Int("mutations", 100, "number of mutated documents of each kind in TestMutatedDocuments")

// TestMutatedDocuments checks that reading a mutated document returns a result or an error with a
// known reason.
func TestMutatedDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 20))
	for kind, good := range seeds(t) {
		ends := map[string]int{}
		for range *mutations {
			data := bytes.Clone(good)
			if rng.IntN(5) == 0 {
				data = data[:rng.IntN(len(data))]
			}
			for range rng.IntN(10) {
				if len(data) > 0 {
					data[rng.IntN(len(data))] = byte(rng.IntN(256))
				}
			}
			_, err := read(t, data, office.Limits{Inflated: 1 << 20})
			ends[reason(t, err)]++
		}
		t.Log(kind, ends)
	}
}

func reason(t testing.TB, err error) string {
	t.Helper()
	for _, is := range reasons {
		if errors.Is(err, is) {
			return is.Error()
		}
	}
	if err != nil {
		t.Errorf("got error %v, want one of %v", err, reasons)
	}
	return "read"
}

func seeds(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"docx": officetest.Word(officetest.Paragraph("", "a")+officetest.Paragraph(`<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>`, "b"), officetest.Part{"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="1"><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`}),
		"ods":  officetest.OpenDocument("spreadsheet", `<table:table><table:table-cell table:number-columns-repeated="9"><text:p>1</text:p></table:table-cell></table:table>`),
		"doc":  officetest.Compound(officetest.Part{"\x05SummaryInformation", officetest.Summary("On Foxes")}, officetest.Part{"WordDocument", strings.Repeat("\x00", 12)}),
	}
}

// FuzzRead checks that Read returns an error with a known reason for each document that it rejects, and stays within
// its limits.
func FuzzRead(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := read(t, data, office.Limits{Inflated: 1 << 20, Text: 1 << 16})
		reason(t, err)
		if err == nil && len(d.Text) > 1<<16 {
			t.Errorf("got %d bytes of text, want at most %d", len(d.Text), 1<<16)
		}
	})
}

// FuzzXML reads arbitrary XML in every part of a document.
func FuzzXML(f *testing.F) {
	f.Add(officetest.Paragraph("<w:numPr><w:numId w:val='1'/></w:numPr>", "a"))
	f.Add(`<abstractNum abstractNumId="1"><lvl ilvl="99"><lvlText val="%1%2"/></lvl></abstractNum><num numId="1"><abstractNumId val="1"/></num>`)
	f.Add(`<list-style name="L"><list-level-style-number level="3" display-levels="9" num-format="I"/></list-style><list style-name="L"><list-item><p>x</p></list-item></list>`)
	f.Add(`<list-style name="L"><list-level-style-number level="1" num-format="1"/></list-style><p>a<note><note-citation>1</note-citation><note-body><p>b</p></note-body></note><frame placeholder="true" class="title"><title>c</title><list id="1" style-name="L"><list-item style-override="L" start-value="3"><p/></list-item></list></frame></p><table-cell><p>d<rect><p>e</p></rect></p></table-cell><list continue-list="1" style-name="L"><list-item><h>f</h></list-item></list>`)
	f.Add(`<numFmt numFmtId="0" formatCode="[h]:mm:ss.0 &quot;x&quot;;-#,##0.0#E+00%"/><cellXfs><xf numFmtId="0"/></cellXfs><c s="0"><v>-1e300</v></c>`)
	f.Fuzz(func(t *testing.T, xml string) {
		for _, data := range [][]byte{
			officetest.Word(xml, officetest.Part{"word/numbering.xml", xml}, officetest.Part{"word/styles.xml", xml}, officetest.Part{"word/charts/chart1.xml", xml}),
			officetest.Archive(officetest.Links("", "officeDocument", "xl/workbook.xml"), officetest.Part{"xl/workbook.xml", `<sheet name="a" r:id="r0"/>`}, officetest.Links("xl/workbook.xml", "worksheet", "s.xml", "styles", "s.xml", "sharedStrings", "s.xml"), officetest.Part{"xl/s.xml", xml}),
			officetest.OpenDocument("text", xml, officetest.Part{"styles.xml", xml}, officetest.Part{"meta.xml", xml}),
		} {
			_, err := read(t, data, office.Limits{Inflated: 1 << 20})
			reason(t, err)
		}
	})
}
