package sheet

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

func TestPreview(t *testing.T) {
	const text = "a;b,c\nx;y,z\n\nx;y,\"z\"\nu;v,w,t\n"
	p, err := NewPreview([]byte(text), true, "text/csv", Options{Delimiter: ","}, 20)
	if err != nil {
		t.Fatal(err)
	}
	last := "the row has 3 cells, but the table has 2 columns"
	want := []PreviewRow{{Cells: []string{"x;y", "z"}}, {Cells: []string{"x;y", "z"}}, {Cells: []string{}, Error: last}}
	if !reflect.DeepEqual(p.Columns, []string{"a;b", "c"}) || !reflect.DeepEqual(p.Rows, want) || p.Delimiter != ',' || p.Charset.Name != "utf-8" {
		t.Errorf("got %+v, want the columns a;b and c with %+v", p, want)
	}
	for _, cut := range []struct {
		head  string
		whole bool
		rows  int
		want  int
	}{{text, true, 1, 1}, {text, false, 20, 2}, {text[:strings.Index(text, "z\"")], false, 20, 1}, {"a;b", false, 20, 0}, {"", true, 20, 0}} {
		if p, err := NewPreview([]byte(cut.head), cut.whole, "", Options{}, cut.rows); err != nil || len(p.Rows) != cut.want {
			t.Errorf("%q: got %+v, error %v, want %d rows", cut.head, p.Rows, err, cut.want)
		}
	}
	p, err = NewPreview([]byte("name\n\xcd\xc9\xd2\n"), true, "text/csv; charset=koi8-r", Options{}, 20)
	if err != nil || p.Rows[0].Cells[0] != "мир" || p.Charset.Name != "koi8-r" {
		t.Errorf("got %+v, error %v, want the row мир in koi8-r", p, err)
	}
	if _, err := NewPreview([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), true, "", Options{}, 20); !errors.As(err, new(*plaintext.NotTextError)) {
		t.Errorf("a PDF: got error %v, want a NotTextError", err)
	}
}
