package bus

import (
	"strings"
	"testing"
)

// TestReasonFitsAHeader: a reason comes from an error and may be of any length.
func TestReasonFitsAHeader(t *testing.T) {
	for reason, want := range map[string]string{
		"a\r\nb\x00":                    "a  b ",
		strings.Repeat("é", 2000):       strings.Repeat("é", 500),
		"x" + strings.Repeat("é", 2000): "x" + strings.Repeat("é", 499),
	} {
		if got := oneLine(reason); got != want {
			t.Errorf("got %d bytes %q", len(got), got)
		}
	}
}
