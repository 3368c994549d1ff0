package office

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
)

// streamed is the size of the texts of TestTextIsWrittenWhileItIsRead.
var streamed = flag.Int("office.text", 2<<20, "size of the texts of large documents, in bytes")

// body returns units in random order, of about size bytes. Each %s of a unit becomes different words.
func body(size int, units ...string) string {
	random := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for b.Len() < size {
		unit := units[random.IntN(len(units))]
		words := make([]any, strings.Count(unit, "%s"))
		for i := range words {
			words[i] = fmt.Sprintf("w%x é%x", random.Uint32(), random.Uint64())
		}
		fmt.Fprintf(&b, unit, words...)
	}
	return b.String()
}

// TestTextIsWrittenWhileItIsRead checks that a writer receives the text that Read otherwise returns, whatever a document can change after it was
// read, within the memory that Memory returns, in parts that are smaller than the text, and up to the same limit.
func TestTextIsWrittenWhileItIsRead(t *testing.T) {
	row := `<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="2"><text:p>%s</text:p></table:table-cell>` +
		`<table:table-cell office:string-value="v"/><table:table-cell/></table:table-row>`
	size := *streamed
	for name, data := range map[string][]byte{
		"docx": officetest.Word(body(size, `<w:p><w:r><w:t xml:space="preserve"> %s </w:t><w:tab/><w:br/><w:t>%s</w:t></w:r></w:p>`, `<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`, `<w:p/>`)),
		"xlsx": officetest.Workbook(body(size, `<row><c t="str"><v>%s</v></c><c/><c t="s"><v>1</v></c></row>`, `<row/>`), "shared", "strings"),
		"pptx": officetest.Presentation(strings.ReplaceAll(body(size, "%s\n"), "\n", "</a:t></a:r></a:p><a:p><a:r><a:t>"), body(size/99, "%s\n")),
		"odt": officetest.OpenDocument("text", `<office:text>`+body(size, `<text:p>%s <draw:frame><draw:text-box><text:p>%s</text:p></draw:text-box></draw:frame>%s</text:p>`, `<text:p/>`,
			`<text:p>rather<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>%s</text:p></text:note-body></text:note>%s</text:p>`, `<table:table>`+row+`</table:table>`)+`</office:text>`),
		"ods": officetest.OpenDocument("spreadsheet", body(size/3, `<table:table table:name="s">`+row+row+`</table:table>`, `<table:table/>`)),
		"odp": officetest.OpenDocument("presentation", body(size, `<draw:page><draw:frame><draw:text-box><text:p>%s</text:p></draw:text-box></draw:frame><presentation:notes><text:p>%s</text:p></presentation:notes></draw:page>`, `<draw:page/>`)),
	} {
		read := func(l Limits) *Document {
			d, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), l)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return d
		}
		want := read(Limits{Text: 2 * size})
		if len(want.Text) < size/5 || want.Cut != "" {
			t.Fatalf("%s: got a text of %d bytes, cut %q, want at least %d", name, len(want.Text), want.Cut, size/5)
		}
		for _, most := range []int{2 * size, size / 6} {
			got := compared{want: want.Text}
			var d *Document
			began := time.Now()
			used := peak.Of(func() { d = read(Limits{Text: most, To: &got}) })
			t.Logf("%s of %d KB: %d KB of text, %d MB of memory, %v", name, len(data)>>10, got.length>>10, used>>20, time.Since(began).Round(time.Millisecond))
			complete := most > size
			if got.differs || d.Text != "" || (d.Cut == "") != complete || complete && got.length != len(want.Text) || !complete && (got.length > most || got.length < most-100) {
				t.Errorf("%s up to %d bytes: %d bytes written, others %t, %d returned, cut %q, want the first of %d bytes",
					name, most, got.length, got.differs, len(d.Text), d.Cut, len(want.Text))
			}
			if got.largest > 2<<20+size/50 {
				t.Errorf("%s: a part of %d bytes, want smaller ones", name, got.largest)
			}
			if limit := Memory(int64(len(data))) - int64(len(data)); used > limit {
				t.Errorf("%s: used %d bytes besides the document, want at most %d", name, used, limit)
			}
		}
	}
}

// compared is a text that is written in parts, which are compared with another one.
type compared struct {
	want            string
	differs         bool
	length, largest int
}

func (c *compared) Write(part []byte) (int, error) {
	c.differs = c.differs || !strings.HasPrefix(c.want[min(c.length, len(c.want)):], string(part))
	c.length += len(part)
	c.largest = max(c.largest, len(part))
	return len(part), nil
}

// TestLongRowsAreWritten checks that a row and a cell with more text than is kept are written once, although the document repeats them.
func TestLongRowsAreWritten(t *testing.T) {
	paragraph := "<text:p>" + strings.Repeat("abcdefg ", 1<<17) + "</text:p>"
	for name, content := range map[string]string{
		"row": `<table:table-row table:number-rows-repeated="9">` + strings.Repeat("<table:table-cell>"+paragraph+"</table:table-cell>", 12) + `</table:table-row>`,
		"cell": `<table:table-row><table:table-cell table:number-columns-repeated="9" office:string-value="value">` + strings.Repeat(paragraph, 12) +
			`</table:table-cell></table:table-row>`,
	} {
		data := officetest.OpenDocument("spreadsheet", `<table:table>`+content+`</table:table>`)
		var got strings.Builder
		var parts compared
		if _, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{Text: 100 << 20, To: io.MultiWriter(&got, &parts)}); err != nil {
			t.Fatal(err)
		}
		if words := strings.Count(got.String(), "abcdefg"); words != 12<<17 || strings.Contains(got.String(), "value") || parts.largest > maxHeld+2<<20 {
			t.Errorf("%s: got %d words in parts of at most %d bytes, want %d in parts of about %d", name, words, parts.largest, 12<<17, maxHeld)
		}
	}
}

// TestWriterEndsRead checks that Read returns the error of the writer.
func TestWriterEndsRead(t *testing.T) {
	data := officetest.Word(body(1<<20, `<w:p><w:r><w:t>%s</w:t></w:r></w:p>`))
	from, to := io.Pipe()
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{To: to}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
}

// TestSharedTextsAreBounded checks that a workbook whose cells have more distinct texts than are kept states how many are missing, and that the
// others are in its text.
func TestSharedTextsAreBounded(t *testing.T) {
	const long = 4 << 20
	source := rand.NewChaCha8([32]byte{8})
	var rows strings.Builder
	shared := make([]string, maxShared/long+2)
	for i := range shared {
		random := make([]byte, long/2)
		if _, err := source.Read(random); err != nil {
			t.Fatal(err)
		}
		shared[i] = hex.EncodeToString(random)
		fmt.Fprintf(&rows, `<row><c t="s"><v>%d</v></c></row>`, i)
	}
	data := officetest.Workbook(rows.String(), shared...)
	kept := maxShared / (long + sharedCost)
	want := "Prices\n" + strings.Join(shared[:kept], "\n")
	got := compared{want: want}
	d, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{Text: 100 << 20, To: &got})
	if err != nil {
		t.Fatal(err)
	}
	if got.differs || got.length != len(want) || !strings.Contains(d.Cut, fmt.Sprintf("; %d of them are missing", len(shared)-kept)) {
		t.Errorf("got %d bytes, others %t, cut %q, want the %d bytes of %d texts", got.length, got.differs, d.Cut, len(want), kept)
	}
}
