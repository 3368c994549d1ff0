package records

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func dollars(line []byte) Cut {
	if strings.HasPrefix(string(line), "$$$$") {
		return Ends
	}
	return Inside
}

func begins() Boundary {
	began := false
	return func(line []byte) Cut {
		if strings.HasPrefix(string(line), "data_") {
			began = true
			return Begins
		}
		if !began {
			return Outside
		}
		return Inside
	}
}

// linked returns a Boundary that discards headers, which contain the line "link".
func linked() Boundary {
	header := false
	return func(line []byte) Cut {
		switch {
		case strings.HasPrefix(string(line), "title"):
			header = false
			return Begins
		case string(line) == "link":
			header = true
			return Discards
		case header:
			return Outside
		case string(line) == "end":
			return Ends
		}
		return Inside
	}
}

func split(t *testing.T, text string, boundary Boundary) (found []string) {
	t.Helper()
	s := NewScanner(iotest.OneByteReader(strings.NewReader(text)), boundary, true)
	for {
		raw, err := s.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if text[raw.Offset:raw.Offset+raw.Length] != string(raw.Bytes) {
			t.Fatalf("got bytes %q, want the %d bytes at offset %d", raw.Bytes, raw.Length, raw.Offset)
		}
		found = append(found, string(raw.Bytes))
	}
}

func TestScanner(t *testing.T) {
	for _, test := range []struct {
		name, text string
		boundary   Boundary
		want       []string
	}{
		{"end lines", "\na\n$$$$\n\nb\r\n$$$$\r\n", dollars, []string{"\na\n$$$$\n", "\nb\r\n$$$$\r\n"}},
		{"last record without end", "a\n$$$$\nb", dollars, []string{"a\n$$$$\n", "b"}},
		{"trailing blank lines", "a\n$$$$\n\n \n", dollars, []string{"a\n$$$$\n"}},
		{"empty file", "", dollars, nil},
		{"start lines", "# head\n\ndata_a\n1\ndata_b\ndata_c", begins(), []string{"data_a\n1\n", "data_b\n", "data_c"}},
		{"discarded headers", "title 1\nlink\nowner\ntitle 2\nend\n\ntitle 3\nend\n", linked(), []string{"title 2\nend\n", "title 3\nend\n"}},
		{"no records", "# head\n", begins(), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := split(t, test.text, test.boundary)
			if strings.Join(got, "|") != strings.Join(test.want, "|") || len(got) != len(test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestScannerReturnsReadErrors(t *testing.T) {
	broken := errors.New("broken")
	s := NewScanner(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), dollars, true)
	if _, err := s.Next(); !errors.Is(err, broken) {
		t.Errorf("got error %v, want broken", err)
	}
}

// endless is a reader of n bytes without a line break.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.n -= n
	return n, nil
}

func TestOverlongRecordsHaveNoBytes(t *testing.T) {
	const size = 2 * MaxRecordBytes
	s := NewScanner(&endless{size}, dollars, true)
	raw, err := s.Next()
	if err != nil || raw.Length != size || raw.Bytes != nil {
		t.Errorf("got length %d, %d bytes, error %v, want length %d without bytes", raw.Length, len(raw.Bytes), err, size)
	}
	if cap(s.buffer)+cap(s.long) > 4*MaxRecordBytes {
		t.Errorf("got buffers of %d and %d bytes, want at most %d in total", cap(s.buffer), cap(s.long), 4*MaxRecordBytes)
	}
}

func TestSpans(t *testing.T) {
	text := strings.Repeat("record\n$$$$\n", 2*ChunkSize+7)
	spans, found, err := Spans(strings.NewReader(text), dollars)
	if err != nil || found != 2*ChunkSize+7 || len(spans) != 3 || spans[2].Count != 7 {
		t.Fatalf("got %d records, spans %+v, error %v, want %d in 3 spans", found, spans, err, 2*ChunkSize+7)
	}
	n := 0
	for i, span := range spans {
		if span.Chunk != i {
			t.Errorf("span %d: got chunk %d, want %d", i, span.Chunk, i)
		}
		n += len(split(t, text[span.Offset:span.Offset+span.Length], dollars))
	}
	if n != found {
		t.Errorf("got %d records in the spans, want %d", n, found)
	}
	spans, found, err = Spans(strings.NewReader(strings.Repeat("r\n$$$$\n", MaxRecords+5)), dollars)
	if err != nil || found != MaxRecords+5 || len(spans) != MaxRecords/ChunkSize || spans[len(spans)-1].Count != ChunkSize {
		t.Errorf("got %d records in %d spans, error %v, want %d in %d", found, len(spans), err, MaxRecords+5, MaxRecords/ChunkSize)
	}
}
