package grammar_test

import (
	"strings"
	"testing"

	. "github.com/assay-project/assay/pkg/extract/photo/grammar"
)

// TestUnderstands checks that a prompt is understood only as a whole.
func TestUnderstands(t *testing.T) {
	for prompt, want := range map[string]bool{
		"": true, "sepia": true, "auto levels, sharpen": true,
		"make it pop": false, "sepia, make it pop": false, strings.Repeat("sepia, ", MaxSteps+1): false,
	} {
		if got := Understands(prompt); got != want {
			t.Errorf("Understands(%.40q) = %t, want %t", prompt, got, want)
		}
	}
}
