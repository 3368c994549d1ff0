package records_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records"
)

// TestLineBreaks checks that a byte order mark belongs to no record, and that the lines of old Macs are lines.
func TestLineBreaks(t *testing.T) {
	const plain = "one\ntwo\n$$$$\nthree\n$$$$\n"
	boundary := func(line []byte) records.Cut {
		if string(line) == "$$$$" {
			return records.Ends
		}
		return records.Inside
	}
	for name, text := range map[string]string{
		"LF": plain, "CR": strings.ReplaceAll(plain, "\n", "\r"), "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "mark": "\ufeff" + plain,
	} {
		spans, found, err := records.Spans(strings.NewReader(text), boundary)
		if err != nil || found != 2 || len(spans) != 1 {
			t.Fatalf("%s: got %d records in %d chunks, error %v, want 2 in 1", name, found, len(spans), err)
		}
		span := text[spans[0].Offset : spans[0].Offset+spans[0].Length]
		s := records.NewScanner(strings.NewReader(span), boundary, true)
		for _, want := range []string{"one\ntwo\n$$$$\n", "three\n$$$$\n"} {
			r, err := s.Next()
			if got := strings.ReplaceAll(string(r.Bytes), "\r\n", "\n"); err != nil || got != want {
				t.Errorf("%s: got %q, error %v, want %q", name, got, err, want)
			}
		}
	}
}
