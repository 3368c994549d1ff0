package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestUsage checks that files in folders below are counted, with the blocks that they take, and that absent files are not.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	empty, err := Usage(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b/large", "other"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), contentOf(size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	full, err := Usage(t.Context(), filepath.Join(dir, "a"), filepath.Join(dir, "other"), filepath.Join(dir, "absent"))
	if err != nil || full < 2*size || full > 2*size+size/4 {
		t.Errorf("got %d bytes, error %v, want 2 MiB and the folders; the empty folder takes %d", full, err, empty)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Usage(stopped, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: got error %v, want %v", err, context.Canceled)
	}
	space, err := SpaceOf(dir)
	if err != nil || space.Free == 0 || space.Free > space.Size {
		t.Errorf("got the space %+v, error %v, want some of it free", space, err)
	}
}
