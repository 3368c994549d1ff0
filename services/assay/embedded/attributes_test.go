package embedded

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/versity/versitygw/backend/meta"
)

// TestAttributesOfAnySize includes a value as large as the part list of the largest upload: 45 KiB for 10,000 parts.
func TestAttributesOfAnySize(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // like the gateway, whose buckets are directories in the working directory
	a, err := openAttributes(filepath.Join(t.TempDir(), "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll("bucket", 0o755), os.WriteFile("bucket/a", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("bucket/a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, value := range map[string][]byte{
		"small": []byte("v"), "empty": {}, "edge": bytes.Repeat([]byte("e"), inlineAttribute),
		"large": bytes.Repeat([]byte("0123456789"), 4600), "looks-like-a-digest": digestOf(nil),
	} {
		if err := a.StoreAttribute(nil, "bucket", "a", name, value); err != nil {
			t.Fatalf("store %s: %v", name, err)
		}
		for _, open := range []*os.File{nil, f} {
			if got, err := a.RetrieveAttribute(open, "bucket", "a", name); err != nil || got == nil || !bytes.Equal(got, value) {
				t.Errorf("%s, open %v: got %d bytes, %v, want the %d stored bytes", name, open != nil, len(got), err, len(value))
			}
		}
	}
	for _, open := range []*os.File{nil, f} {
		if _, err := a.RetrieveAttribute(open, "bucket", "a", "none"); !errors.Is(err, meta.ErrNoSuchKey) {
			t.Errorf("a missing attribute, open %v: got %v, want %v", open != nil, err, meta.ErrNoSuchKey)
		}
	}
	if _, err := a.RetrieveAttribute(nil, "bucket", "b", "small"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an attribute of a missing object: got %v, want %v", err, fs.ErrNotExist)
	}
	if names, err := a.ListAttributes("bucket", "a"); err != nil || len(names) != 5 {
		t.Errorf("ListAttributes = %q, %v, want 5 attributes", names, err)
	}
	if err := a.DeleteAttribute("bucket", "a", "large"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.RetrieveAttribute(nil, "bucket", "a", "large"); !errors.Is(err, meta.ErrNoSuchKey) {
		t.Errorf("a deleted attribute: got %v, want %v", err, meta.ErrNoSuchKey)
	}
}

func TestNewObjectHasNoAttributesOfReplacedObject(t *testing.T) {
	t.Chdir(t.TempDir())
	large := filepath.Join(t.TempDir(), "large")
	a, err := openAttributes(large)
	if err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("p"), 5000)
	create := func() {
		if err := errors.Join(os.MkdirAll("bucket", 0o755), os.WriteFile("bucket/new", nil, 0o600), os.Rename("bucket/new", "bucket/a")); err != nil {
			t.Fatal(err)
		}
	}
	create()
	if err := a.StoreAttribute(nil, "bucket", "a", "parts", value); err != nil {
		t.Fatal(err)
	}
	create()
	if _, err := a.RetrieveAttribute(nil, "bucket", "a", "parts"); !errors.Is(err, meta.ErrNoSuchKey) {
		t.Errorf("an attribute of the replaced object: got %v, want %v", err, meta.ErrNoSuchKey)
	}
	if err := a.DeleteAttributes("bucket", "a"); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(large, "bucket", "*")); err != nil || len(left) > 0 {
		t.Errorf("got the files %q, %v, want none", left, err)
	}
}
