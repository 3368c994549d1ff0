package wasm

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestRuntimeVersion checks that Runtime contains the version in go.mod, because each version has a separate cache.
func TestRuntimeVersion(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/tetratelabs/" + strings.Replace(Runtime, "-", " ", 1) + "\n"; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not contain %q", want)
	}
}

// FuzzInterruptible checks that interruptible fails only with errCode.
func FuzzInterruptible(f *testing.F) {
	const head = "\x00asm\x01\x00\x00\x00"
	f.Add([]byte(head + "\x06\x06\x01\x7f\x00\x41\x07\x0b\x07\x01\x00\x0a\x07\x01\x05\x00\x03\x40\x0b\x0b"))
	f.Add([]byte(head + "\x02\x08\x01\x01a\x01b\x03\x7f\x00"))
	f.Fuzz(func(t *testing.T, module []byte) {
		out, err := interruptible(module)
		if err != nil && !errors.Is(err, errCode) {
			t.Errorf("got error %v, want errCode", err)
		}
		if err == nil && len(out) < len(module) {
			t.Errorf("a module of %d bytes: got %d bytes, want more", len(module), len(out))
		}
	})
}
