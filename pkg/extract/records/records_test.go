package records

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// objects contains the objects of a file by name.
type objects map[string][]byte

func (o objects) get(_ context.Context, name string, offset, length int64) ([]byte, error) {
	data, found := o[name]
	if !found || offset > int64(len(data)) {
		return nil, fmt.Errorf("get %s from %d: %w", name, offset, io.ErrUnexpectedEOF)
	}
	data = data[offset:]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	return bytes.Clone(data), nil
}

// store writes the records in chunks and returns their file.
func store(t testing.TB, all []Record) (*File, objects) {
	t.Helper()
	o, i := objects{}, 0
	next := func() (Record, error) {
		if i == len(all) {
			return Record{}, io.EOF
		}
		all[i].Index = i
		i++
		return all[i-1], nil
	}
	rows, err := WriteChunks(t.Context(), next, func(chunk int, lines, columns []byte) error {
		o[LinesName(chunk)], o[ColumnsName(chunk)] = lines, columns
		return nil
	})
	if err != nil || rows.Found != len(all) {
		t.Fatalf("got %d records, error %v, want %d", rows.Found, err, len(all))
	}
	return &File{Get: o.get, Total: len(all), Starts: rows.Starts, Columns: rows.Summary.Table()}, o
}

func TestExcessRecordsAreCounted(t *testing.T) {
	n, chunks := 0, 0
	rows, err := WriteChunks(t.Context(), func() (Record, error) {
		if n++; n > MaxRows+3 {
			return Record{}, io.EOF
		}
		return Record{}, nil
	}, func(chunk int, _, _ []byte) error {
		chunks++
		return nil
	})
	if err != nil || rows.Found != MaxRows+3 || chunks != MaxRows/MaxChunk || len(rows.Starts) != chunks {
		t.Errorf("got %d records in %d chunks, error %v, want %d in %d", rows.Found, chunks, err, MaxRows+3, MaxRows/MaxChunk)
	}
	broken := errors.New("broken")
	for at, name := range []string{"a failing source", "a failing store"} {
		_, err := WriteChunks(t.Context(), func() (Record, error) {
			if at == 0 {
				return Record{}, broken
			}
			if n++; n%2 == 0 {
				return Record{}, io.EOF
			}
			return Record{}, nil
		}, func(int, []byte, []byte) error { return broken })
		if !errors.Is(err, broken) {
			t.Errorf("%s: got error %v, want broken", name, err)
		}
	}
}

// molecules returns n records; every 10th has failed, and every 7th has no logP.
func molecules(n int) []Record {
	all := make([]Record, n)
	for i := range all {
		r := &all[i]
		r.Name = fmt.Sprintf("molecule %d", i)
		r.Content = strings.Repeat("line "+r.Name+"\n", 5)
		if i%10 == 9 {
			r.Error = "an atom is not an element"
			continue
		}
		r.Fields.Set("CAS", fmt.Sprintf("%d-00-0", i))
		if i%7 != 0 {
			r.Fields.Set("logP", fmt.Sprintf("%.2f", float64(i%1000)/100-2))
		}
		r.Properties = Properties{{"formula", fmt.Sprintf("C%dH%d", i%30+1, i%60+2)}, {"charge", int64(i%3 - 1)}, {"weight", float64(i) + 0.5}}
		r.NotDetermined = []string{"inchi"}
	}
	return all
}

func TestRecordsRoundTrip(t *testing.T) {
	all := molecules(2_345)
	f, _ := store(t, all)
	i := 0
	for r, err := range f.All(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*r, all[i]) {
			t.Fatalf("record %d: got %+v, want %+v", i, *r, all[i])
		}
		i++
	}
	if i != len(all) {
		t.Fatalf("got %d records, want %d", i, len(all))
	}
	r, err := f.Record(t.Context(), 1_777)
	if err != nil || r.Index != 1_777 || r.Name != "molecule 1777" {
		t.Errorf("record 1777: got %+v, error %v, want molecule 1777", r, err)
	}
	if _, err := f.Record(t.Context(), len(all)); !errors.Is(err, ErrNoRecord) {
		t.Errorf("record beyond the last: got error %v, want ErrNoRecord", err)
	}
}

func TestLinesAreGzippedJSON(t *testing.T) {
	_, o := store(t, molecules(30))
	r := Record{Fields: Fields{{"a\"b", "x\ny\x01\xff\u00e9"}}, Properties: Properties{{"ok", true}, {"n", 1e21}}}
	line := appendRecord(nil, &r)
	var back Record
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatalf("json.Unmarshal(%s): got error %v, want nil", line, err)
	}
	if want := "x\ny\x01\ufffd\u00e9"; back.Fields[0].Value != want {
		t.Errorf("got field %q, want %q", back.Fields[0].Value, want)
	}
	if lines := o[LinesName(0)]; !bytes.HasPrefix(lines, []byte{0x1f, 0x8b}) {
		t.Errorf("got lines that begin with %q, want the header of gzip", lines[:min(len(lines), 2)])
	}
}

func TestPages(t *testing.T) {
	all := molecules(3_210)
	f, _ := store(t, all)
	for _, text := range []string{"", "logP<3", "weight>=2100 and weight<2103", "error", "charge=0 and not logP", "name = 'molecule 3209'"} {
		var filter *Filter
		if text != "" {
			var err error
			if filter, err = ParseFilter(text, f.Columns); err != nil {
				t.Fatal(err)
			}
		}
		var want, got []int
		for i := range all {
			if filter == nil || filter.match(&all[i]) {
				want = append(want, i)
			}
		}
		for from := 0; from >= 0; {
			page, err := f.Page(t.Context(), Query{From: from, Limit: 97, Filter: filter})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Records) > 97 || page.Next >= 0 && len(page.Records) < 97 {
				t.Fatalf("%q: got a page of %d records, want 97 or the last page", text, len(page.Records))
			}
			for _, r := range page.Records {
				got = append(got, r.Index)
			}
			from = page.Next
		}
		if !reflect.DeepEqual(got, want) || len(want) == 0 {
			t.Errorf("%q: got %d records, want %d", text, len(got), len(want))
		}
	}
}

func TestPagesContainRequestedParts(t *testing.T) {
	f, _ := store(t, molecules(20))
	logP, _ := Find("LOGP", f.Columns)
	formula, _ := Find("formula", f.Columns)
	page, err := f.Page(t.Context(), Query{From: 1, Limit: 1, Columns: []Column{logP, formula}})
	if err != nil {
		t.Fatal(err)
	}
	r := page.Records[0]
	if len(r.Fields) != 1 || len(r.Properties) != 1 || r.Content != "" || r.Value(logP) != "-1.99" {
		t.Errorf("got %+v, want only logP -1.99 and the formula", r)
	}
	page, err = f.Page(t.Context(), Query{Limit: 1, Content: true})
	if err != nil || page.Records[0].Content == "" || page.Next != 1 {
		t.Errorf("got %+v, error %v, want one record with its content, next 1", page, err)
	}
}

// A value that is truncated in its column is still found.
func TestFiltersMatchLongValues(t *testing.T) {
	all := molecules(50)
	all[17].Fields.Set("comment", strings.Repeat("x", maxValue)+"needle")
	f, _ := store(t, all)
	filter, err := ParseFilter("comment ~ NEEDLE", f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	page, err := f.Page(t.Context(), Query{Filter: filter})
	if err != nil || len(page.Records) != 1 || page.Records[0].Index != 17 {
		t.Errorf("got %+v, error %v, want record 17 only", page, err)
	}
}

func TestDamagedChunksAreErrors(t *testing.T) {
	f, o := store(t, molecules(100))
	filter, err := ParseFilter("logP<3", f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range o {
		for _, bad := range [][]byte{{}, data[:len(data)/2], bytes.Repeat([]byte{'x'}, len(data))} {
			o[name] = bad
			if page, err := f.Page(t.Context(), Query{Filter: filter, Limit: 100}); err == nil {
				t.Errorf("%s of %d bytes: got %d records, want an error", name, len(bad), len(page.Records))
			}
		}
		o[name] = data
	}
}

func BenchmarkAll(b *testing.B) {
	f, _ := store(b, molecules(ChunkSize))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range f.All(b.Context(), nil) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != ChunkSize {
			b.Fatalf("got %d records, want %d", n, ChunkSize)
		}
	}
	b.ReportMetric(float64(b.N*ChunkSize)/b.Elapsed().Seconds(), "records/s")
}
