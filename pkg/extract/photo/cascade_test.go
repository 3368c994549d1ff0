package photo

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

//go:embed cascade/SOURCE
var source string

// TestCascadeIsPinned compares the cascade with the checksum in SOURCE.
func TestCascadeIsPinned(t *testing.T) {
	if sum := fmt.Sprintf("%x", sha256.Sum256(cascade)); !strings.Contains(source, "sha256 "+sum) {
		t.Errorf("SOURCE does not contain the checksum %s", sum)
	}
	if !strings.Contains(Notice(), "MIT License") {
		t.Error("Notice() does not contain the MIT License")
	}
}
