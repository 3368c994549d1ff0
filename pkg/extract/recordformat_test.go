package extract_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
)

var samples = flag.String("samples", "", "SDF `file` whose records TestLargeFile repeats until there are 100,000")

const ethanol = "ethanol\n  test\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n" +
	"    0.0000    0.0000    0.0000 C   0  0\n    1.2990    0.7500    0.0000 C   0  0\n    2.5981    0.0000    0.0000 O   0  0\n" +
	"  1  2  1  0\n  2  3  1  0\nM  END\n"

// files returns a small file of each format, with the number of its records.
func files() map[string]struct {
	text    string
	records int
} {
	sdf := ethanol + ">  <logP>\n-0.31\n\n$$$$\n"
	return map[string]struct {
		text    string
		records int
	}{
		"sdf": {strings.Repeat(sdf, 3), 3},
		"mol": {ethanol, 1},
		"rxn": {"$RXN\noxidation\n\n\n  1  0\n$MOL\n" + ethanol, 1},
		"rdf": {"$RDFILE 1\n$DATM\n$RFMT $RIREG 1\n$RXN\noxidation\n\n\n  1  0\n$MOL\n" + ethanol + "$DTYPE YIELD\n$DATUM 5\n$MFMT\n" + ethanol, 2},
		"cif": {"data_cell\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\nloop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nNa 0 0 0\n", 1},
		"jdx": {"##TITLE= curve\n##JCAMP-DX= 4.24\n##FIRSTX= 1\n##DELTAX= 1\n##XYDATA= (X++(Y..Y))\n1 5 6 7\n##END=\n", 1},
	}
}

// objects contains the objects of a file by name.
type objects map[string][]byte

func (o objects) get(_ context.Context, name string, offset, length int64) ([]byte, error) {
	data := o[name][min(offset, int64(len(o[name]))):]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	return data, nil
}

// process stores the chunks of a file.
func process(t *testing.T, f records.Format, r io.ReaderAt, size int64) *records.File {
	t.Helper()
	spans, found, err := f.Spans(io.NewSectionReader(r, 0, size))
	if err != nil {
		t.Fatal(err)
	}
	o, total := objects{}, records.Summary{}
	for _, span := range spans {
		var lines, columns bytes.Buffer
		part, err := f.Chunk(t.Context(), io.NewSectionReader(r, span.Offset, span.Length), span, &lines, &columns)
		if err != nil {
			t.Fatal(err)
		}
		o[records.LinesName(span.Chunk)], o[records.ColumnsName(span.Chunk)] = lines.Bytes(), columns.Bytes()
		total.Merge(part)
	}
	return &records.File{Get: o.get, Total: min(found, records.MaxRecords), Columns: total.Table()}
}

// An export in the format of the file contains the same records.
func TestFormatsReadDrawAndWrite(t *testing.T) {
	for name, test := range files() {
		t.Run(name, func(t *testing.T) {
			f, found := extract.FindRecordFormat("." + strings.ToUpper(name))
			if !found || f.Name != name {
				t.Fatalf("got format %q, found = %t, want %q", f.Name, found, name)
			}
			file := process(t, f, strings.NewReader(test.text), int64(len(test.text)))
			if file.Total != test.records {
				t.Fatalf("got %d records, want %d", file.Total, test.records)
			}
			out := bytes.NewBufferString(f.Header)
			if err := file.WriteNative(t.Context(), out, records.Export{}, f.Write); err != nil {
				t.Fatal(err)
			}
			again := process(t, f, bytes.NewReader(out.Bytes()), int64(out.Len()))
			for i := range test.records {
				r, err := file.Record(t.Context(), i)
				if err != nil || r.Failed() {
					t.Fatalf("record %d: got %+v, error %v, want a processed record", i, r, err)
				}
				svg, err := f.Draw(r.Content)
				if err != nil || !bytes.HasPrefix(svg, []byte("<svg ")) {
					t.Errorf("got %s, error %v, want an SVG", svg, err)
				}
				back, err := again.Record(t.Context(), i)
				if err != nil || back.Failed() || fmt.Sprint(back.Properties) != fmt.Sprint(r.Properties) || back.Name != r.Name {
					t.Errorf("after a round trip: got %+v, error %v, want %+v", back, err, r)
				}
			}
			if _, err := f.Draw("x"); !errors.Is(err, records.ErrNotDrawn) {
				t.Errorf("Draw of damaged content: got error %v, want records.ErrNotDrawn", err)
			}
		})
	}
	if _, found := extract.FindRecordFormat("docx"); found {
		t.Error("Find of a document format: got a format, want none")
	}
}

func TestSpansOfAnotherFile(t *testing.T) {
	f, _ := extract.FindRecordFormat("sdf")
	text := files()["sdf"].text
	if _, err := f.Chunk(t.Context(), strings.NewReader(text), records.Span{Count: 2, Length: int64(len(text))}, io.Discard, io.Discard); err == nil {
		t.Error("a span that states a different number of records: got no error, want one")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Chunk(ended, strings.NewReader(text), records.Span{Count: 3, Length: int64(len(text))}, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("with a canceled context: got error %v, want Canceled", err)
	}
}

func TestOverlongRecordsFail(t *testing.T) {
	f, _ := extract.FindRecordFormat("sdf")
	text := ethanol + ">  <a>\n" + strings.Repeat("x\n", records.MaxRecordBytes/2) + "\n$$$$\n" + ethanol + "$$$$\n"
	file := process(t, f, strings.NewReader(text), int64(len(text)))
	for i, failed := range []bool{true, false} {
		if r, err := file.Record(t.Context(), i); err != nil || r.Failed() != failed {
			t.Errorf("record %d: got failure %q, error %v, want failed = %t", i, r.Error, err, failed)
		}
	}
}

// repeated is a file that repeats some bytes many times.
type repeated struct {
	data []byte
	size int64
}

func (r repeated) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	for n < len(p) && at < r.size {
		c := copy(p[n:], r.data[at%int64(len(r.data)):])
		n, at = n+c, at+int64(c)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestLargeFile measures the processing of 100,000 records, which repeat those of the file in -samples.
func TestLargeFile(t *testing.T) {
	if *samples == "" {
		t.Skip("-samples, an SDF file to repeat, is not set")
	}
	data, err := os.ReadFile(*samples)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := extract.FindRecordFormat("sdf")
	_, one, err := f.Spans(bytes.NewReader(data))
	if err != nil || one == 0 {
		t.Fatalf("got %d records, error %v, want at least one", one, err)
	}
	source := repeated{data, int64(len(data)) * int64(math.Ceil(records.MaxRecords/float64(one)))}
	since := time.Now()
	file := process(t, f, source, source.size)
	t.Logf("%d records of %d MB in %v", file.Total, source.size>>20, time.Since(since))
	stored, all := 0, 0
	for _, name := range []func(int) string{records.LinesName, records.ColumnsName} {
		for i := range (file.Total + records.ChunkSize - 1) / records.ChunkSize {
			b, err := file.Get(t.Context(), name(i), 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			stored += len(b)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d MB stored, %d MB of memory in use, including them", stored>>20, memory.Sys>>20)
	for _, text := range []string{"weight < 300", "weight > 100000", "name = '-' or formula = C6H6"} {
		filter, err := records.ParseFilter(text, file.Columns)
		if err != nil {
			t.Fatal(err)
		}
		since = time.Now()
		page, err := file.Page(t.Context(), records.Query{Filter: filter})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: a page of %d records in %v", text, len(page.Records), time.Since(since))
	}
	since = time.Now()
	for r, err := range file.All(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if all++; r.Failed() {
			t.Log(r.Index, r.Error)
		}
	}
	t.Logf("%d records read in %v", all, time.Since(since))
}

// TestExamples checks that the example of every format is recognized and has a record without an error.
func TestExamples(t *testing.T) {
	for _, f := range extract.Formats() {
		for _, r := range f.Records {
			name := ""
			if r.Name == "smi" {
				name = "example.smi" // its content could also be a text
			}
			kind := extract.Detect([]byte(r.Example), name)
			_, found, err := r.Spans(strings.NewReader(r.Example))
			if kind.Type != f.Type || err != nil || found != 1 {
				t.Errorf("%s: got type %s, %d records, error %v; want %s and 1", r.Name, kind.Type, found, err, f.Type)
			}
			raw, err := records.NewScanner(strings.NewReader(r.Example), r.Boundary(), true).Next()
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Read(raw.Bytes); got.Failed() {
				t.Errorf("%s: got the error %s, want none", r.Name, got.Error)
			}
		}
	}
}
