package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/objects"
)

// TestList checks that the list has enough photos, and only objects that can be detected.
func TestList(t *testing.T) {
	photos, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(photos) < leastPhotos {
		t.Errorf("got %d photos, want at least %d", len(photos), leastPhotos)
	}
	for _, p := range photos {
		for _, name := range p.seen {
			if !slices.Contains(objects.Classes(), name) {
				t.Errorf("%s: got object %q, want one of Classes()", p.name, name)
			}
		}
	}
	if _, err := parse("a photo without its checksum\n"); err == nil {
		t.Error("parse of a damaged list succeeded, want an error")
	}
}

// TestTooFewPhotos checks that a directory without the photos is an error.
func TestTooFewPhotos(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{t.TempDir()}, &out)
	if err == nil || !strings.Contains(out.String(), "0 of 144 photos") {
		t.Errorf("got %q, %v, want 0 of 144 photos and an error", out.String(), err)
	}
}
