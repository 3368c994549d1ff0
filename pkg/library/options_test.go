package library

import (
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/sheet"
)

func TestOptionsAreChecked(t *testing.T) {
	o, name, err := ReadOptions{Charset: "GBK", Header: "no", Delimiter: "tab", Decimal: ","}.Checked()
	if want := (ReadOptions{Charset: "gbk", Header: "no", Delimiter: "\t", Decimal: ","}); o != want || err != nil {
		t.Errorf("got %+v, %s %v, want %+v", o, name, err, want)
	}
	for refused, want := range map[ReadOptions]string{
		{Charset: "klingon"}: "charset: is not the name of a known charset",
		{Header: "maybe"}:    "header: is not yes or no",
		{Delimiter: ":"}:     "delimiter: is not a comma, a semicolon, a vertical bar or tab",
		{Decimal: "'"}:       "decimal: is not a point or a comma",
	} {
		_, name, err := refused.Checked()
		if option, reason, _ := strings.Cut(want, ": "); err == nil || name != option || !strings.Contains(err.Error(), reason) {
			t.Errorf("%+v: got %s, error %v, want %s", refused, name, err, want)
		}
	}
	for declared, want := range map[string]string{
		"text/csv; charset=utf-8; header=present": "text/csv; charset=gbk; header=present", "text/csv": "text/csv; charset=gbk", "a b": "text/plain; charset=gbk",
	} {
		if got := (ReadOptions{Charset: "gbk"}).ContentType(declared); got != want {
			t.Errorf("got the content type %q for %q, want %q", got, declared, want)
		}
		if got := (ReadOptions{}).ContentType(declared); got != declared {
			t.Errorf("got the content type %q without a charset, want %q", got, declared)
		}
	}
}

// TestOptionsAreKept checks that the options of a file are in the events of each of its runs until a call states others, and
// that a reservation with other options is another one.
func TestOptionsAreKept(t *testing.T) {
	r := open(t)
	terms := r.newFile("a.csv", "")
	terms.Options = ReadOptions{Charset: "gbk", Delimiter: ";"}
	same, other := terms, terms
	other.Options.Delimiter = ","
	if key := terms.UploadKey(); !same.ReservedAs(key) || other.ReservedAs(key) || r.newFile("a.csv", "").ReservedAs(key) {
		t.Error("a reservation with other options is taken for the same one")
	}
	_, f, err := r.Reserve(t.Context(), terms)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.stored(f.ID); !reflect.DeepEqual(got, f) {
		t.Errorf("got %+v, want %+v", got, f)
	}
	check := func(f File, contentType string, table sheet.Options) {
		t.Helper()
		d := f.Start("etag").Data.(*event.LibraryStep)
		got := sheet.Options{Header: d.TableHeader, Delimiter: d.TableDelimiter, Decimal: d.TableDecimal}
		if d.ContentType != contentType || got != table {
			t.Errorf("got an event with %s and %+v, want %s and %+v", d.ContentType, got, contentType, table)
		}
	}
	check(f, "text/plain; charset=gbk", sheet.Options{Delimiter: ";"})
	for _, change := range []struct {
		to          *ReadOptions
		contentType string
		table       sheet.Options
	}{
		{nil, "text/plain; charset=gbk", sheet.Options{Delimiter: ";"}},
		{&ReadOptions{Header: "no", Decimal: ","}, "text/plain", sheet.Options{Header: "no", Decimal: ","}},
		{&ReadOptions{}, "text/plain", sheet.Options{}},
	} {
		if err := r.Fail(t.Context(), r.stored(f.ID), "no"); err != nil {
			t.Fatal(err)
		}
		again, _, err := r.Retry(t.Context(), r.stored(f.ID), change.to)
		if err != nil {
			t.Fatal(err)
		}
		check(again, change.contentType, change.table)
		check(r.stored(f.ID), change.contentType, change.table)
	}
}
