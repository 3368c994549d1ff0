package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var engine *pdf.Engine

func TestMain(m *testing.M) {
	os.Exit(wasmtest.Main(m, pdf.New, func(e *pdf.Engine) { engine = e }))
}

func open(ctx context.Context, data []byte) (*pdf.Document, error) {
	return engine.Open(ctx, bytes.NewReader(data), int64(len(data)), pdf.Limits{})
}

func mustOpen(t testing.TB, p wasmtest.PDF) *pdf.Document {
	t.Helper()
	d, err := open(t.Context(), p.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestText(t *testing.T) {
	d := mustOpen(t, wasmtest.PDF{
		Pages:  []string{"Zwei Seiten\nfirst page", "second page"},
		Fields: map[string]string{"city": "Reykjavik"},
	})
	text, err := d.Text(pdf.TextLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Zwei Seiten\nfirst page\nReykjavik\fsecond page\f"; text.Text != want || text.Pages != 2 || text.Cut != "" || text.Unreadable != 0 {
		t.Errorf("got %+v, want the text %q of 2 readable pages", text, want)
	}
	if d.Pages() != 2 {
		t.Errorf("got %d pages, want 2", d.Pages())
	}
}

func TestTextIsTruncated(t *testing.T) {
	pages := make([]string, 5)
	for i := range pages {
		pages[i] = fmt.Sprintf("page %d", i)
	}
	for want, l := range map[string]pdf.TextLimits{
		"page 0\fpage 1\f": {Pages: 2},
		"page 0\fpag\f":    {Bytes: 10},
	} {
		text, err := mustOpen(t, wasmtest.PDF{Pages: pages}).Text(l)
		if err != nil || text.Text != want || text.Cut == "" {
			t.Errorf("%+v: got %+v, error %v, want the text %q and a reason in Cut", l, text, err, want)
		}
	}
}

func TestMetadata(t *testing.T) {
	got, err := mustOpen(t, wasmtest.PDF{Title: "On Foxes", Pages: []string{"x"}, Fields: map[string]string{"a": "b"}}).Metadata()
	want := pdf.Metadata{Title: "On Foxes", Created: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC), Version: "1.4", Form: "AcroForm"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
}

// TestMetadataOfXMP checks the fields that the information dictionary lacks, as exiftool 12.57 reads them.
func TestMetadataOfXMP(t *testing.T) {
	const packet = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="Press" xmp:ModifyDate="2026-02-03">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Über Füchse</rdf:li><rdf:li xml:lang="en">On Foxes</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Bo</rdf:li></rdf:Seq></dc:creator>
<dc:subject><rdf:Bag><rdf:li>fox</rdf:li><rdf:li>den</rdf:li></rdf:Bag></dc:subject>
<xmp:CreateDate>2020-01-01T00:00:00Z</xmp:CreateDate></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
	for name, xmp := range map[string]string{"plain": packet, "with the packet of a picture after it": packet} {
		p := wasmtest.PDF{Pages: []string{"x"}, XMP: xmp, Attachments: []string{"factur-x.xml", "notes.txt"}}
		data := p.Bytes()
		if name != "plain" {
			picture := strings.Replace(packet, "<dc:creator>", "<dc:format>image/jpeg</dc:format><dc:creator>", 1)
			data = append(data, "\n99 0 obj <</Type/Metadata>> stream\n"+strings.Replace(picture, "Ada", "Eve", 1)+"\nendstream"...)
		}
		d, err := open(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Metadata()
		want := pdf.Metadata{
			Title: "Über Füchse", Author: "Ada, Bo", Keywords: "fox, den", Producer: "Press", Version: "1.4",
			Created: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC), Modified: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC),
			Attachments: []string{"factur-x.xml", "notes.txt"},
		}
		if err = errors.Join(err, d.Close()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, error %v, want %+v", name, got, err, want)
		}
	}
}

func TestPicture(t *testing.T) {
	d := mustOpen(t, wasmtest.PDF{Pages: []string{"", ""}, Contents: "1 0 0 rg 0 0 306 792 re f"}) // the left half is red
	size, err := d.PageSize(1)
	if err != nil || size != (pdf.PageSize{Width: 612, Height: 792}) {
		t.Errorf("got size %+v, error %v, want 612 × 792", size, err)
	}
	m, err := d.Picture(1, 396)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rect.Dx() != 306 || m.Rect.Dy() != 396 || !m.Opaque() {
		t.Errorf("got size %v, opaque = %t, want 306 × 396, opaque = true", m.Rect, m.Opaque())
	}
	if left, right := m.NRGBAAt(100, 200), m.NRGBAAt(200, 200); left.R != 255 || left.G != 0 || right.G != 255 {
		t.Errorf("got %v on the left, %v on the right, want red and white", left, right)
	}
	for _, n := range []int{-1, 2} {
		if _, err := d.Picture(n, 100); !errors.Is(err, pdf.ErrPage) {
			t.Errorf("page %d: got error %v, want ErrPage", n, err)
		}
	}
}

func TestPasswords(t *testing.T) {
	if _, err := open(t.Context(), wasmtest.PDF{Pages: []string{"secret"}, Encrypted: true, Password: "x"}.Bytes()); !errors.Is(err, pdf.ErrLocked) {
		t.Errorf("got error %v, want ErrLocked", err)
	}
	d := mustOpen(t, wasmtest.PDF{Title: "Open", Pages: []string{"readable"}, Encrypted: true})
	text, err := d.Text(pdf.TextLimits{})
	if want := "readable\f"; err != nil || text.Text != want {
		t.Errorf("got %+v, error %v, want the text %q", text, err, want)
	}
	if m, err := d.Metadata(); err != nil || !m.Encrypted || m.Title != "Open" {
		t.Errorf("got metadata %+v, error %v, want an encrypted document with the title Open", m, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	data := wasmtest.PDF{Pages: []string{"x"}}.Bytes()
	d := mustOpen(t, wasmtest.PDF{Pages: []string{"x"}})
	if _, err := d.Picture(0, 20_000); !errors.Is(err, wasm.ErrMemory) {
		t.Errorf("a picture of 1.6 GB: got error %v, want ErrMemory", err)
	}
	if _, err := engine.Open(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{Memory: 1 << 20}); !errors.Is(err, wasm.ErrMemory) {
		t.Errorf("with 1 MiB: got error %v, want ErrMemory", err)
	}
}

// TestDeadline cancels the drawing of a short document that would take years to draw.
func TestDeadline(t *testing.T) {
	p := wasmtest.PDF{Pages: []string{"x"}, Contents: "/X0 Do"}
	for n := range 40 {
		p.Forms = append(p.Forms, strings.Repeat(fmt.Sprintf("/X%d Do\n", n+1), 4))
	}
	p.Forms = append(p.Forms, "0 0 1 1 re f")
	ctx, cancel := context.WithCancel(t.Context())
	d, err := open(ctx, p.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(100*time.Millisecond, cancel).Stop()
	if _, err := d.Picture(0, 500); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

type brokenReader struct{ err error }

func (b brokenReader) ReadAt([]byte, int64) (int, error) { return 0, b.err }

func TestReaderFails(t *testing.T) {
	broken := errors.New("connection lost")
	if _, err := engine.Open(t.Context(), brokenReader{broken}, 1000, pdf.Limits{}); !errors.Is(err, broken) {
		t.Errorf("got error %v, want %v", err, broken)
	}
}
