package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// endless returns a document whose pages draw a form that fills with a pattern, whose cell draws the form.
func endless(pages ...string) wasmtest.PDF {
	const fill = "/P0 scn 0 0 224 160 re f "
	return wasmtest.PDF{Pages: pages, Contents: "/X0 Do", Forms: []string{"/Pattern cs " + fill + fill + fill}, Patterns: []string{"/X0 Do"}}
}

// exploding returns a document whose pages draw two forms that draw each other three times.
func exploding(pages ...string) wasmtest.PDF {
	return wasmtest.PDF{Pages: pages, Contents: "/X0 Do", Forms: []string{"/X1 Do /X1 Do /X1 Do", "/X0 Do /X0 Do /X0 Do"}}
}

// TestPictureTimeIsBounded checks that the time limit of a document ends a picture that draws itself.
func TestPictureTimeIsBounded(t *testing.T) {
	data := endless("").Bytes()
	d, err := engine.Open(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Picture(0, 1200); !errors.Is(err, wasm.ErrTime) {
		t.Errorf("got error %v, want ErrTime", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestTextOfPagesThatCannotBeRead checks that pages which exceed the memory are counted, that the pages around them are
// read, and that the number of such pages and the time are bounded.
func TestTextOfPagesThatCannotBeRead(t *testing.T) {
	read := func(p wasmtest.PDF, l pdf.Limits) (pdf.Text, error) {
		data := p.Bytes()
		l.Memory = 20 << 20
		return engine.Text(t.Context(), bytes.NewReader(data), int64(len(data)), l, pdf.TextLimits{})
	}
	got, err := read(exploding(""), pdf.Limits{})
	if err != nil || got != (pdf.Text{Text: "\f", Length: 1, Pages: 1, Unreadable: 1}) {
		t.Errorf("one page: got %+v, error %v, want one unreadable page", got, err)
	}
	got, err = read(exploding(make([]string, 9)...), pdf.Limits{})
	if err != nil || got.Pages != 5 || got.Unreadable != 5 || got.Cut == "" {
		t.Errorf("nine pages: got %+v, error %v, want 5 unreadable pages and a reason in Cut", got, err)
	}
	got, err = read(exploding(""), pdf.Limits{Time: time.Millisecond})
	if err != nil && !errors.Is(err, wasm.ErrTime) || err == nil && got.Cut == "" && got.Unreadable == 0 {
		t.Errorf("without time: got %+v, error %v, want ErrTime or a reason in Cut", got, err)
	}
	mixed := wasmtest.PDF{Pages: []string{"before", wasmtest.DrawsFirstForm, "after"}, Forms: exploding().Forms}
	got, err = read(mixed, pdf.Limits{})
	if want := "before\f\fafter\f"; err != nil || got.Text != want || got.Pages != 3 || got.Unreadable != 1 {
		t.Errorf("a page between others: got %+v, error %v, want %q", got, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := mixed.Bytes()
	if _, err := engine.Text(ctx, bytes.NewReader(data), int64(len(data)), pdf.Limits{}, pdf.TextLimits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got error %v, want Canceled", err)
	}
}
