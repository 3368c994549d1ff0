package bus

import (
	"strings"
	"testing"
)

// TestReasonFitsAHeader checks that a reason of any length is stored. Reasons are the texts of errors.
func TestReasonFitsAHeader(t *testing.T) {
	for reason, want := range map[string]string{
		"a\r\nb\x00":                    "a  b ",
		strings.Repeat("é", 2000):       strings.Repeat("é", 500),
		"x" + strings.Repeat("é", 2000): "x" + strings.Repeat("é", 499),
	} {
		if got := oneLine(reason); got != want {
			t.Errorf("got %d bytes %q, want %q", len(got), got, want)
		}
	}
}
