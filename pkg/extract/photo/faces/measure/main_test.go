package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestList checks that the list has enough photos with and without faces.
func TestList(t *testing.T) {
	photos, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(photos) < leastPhotos {
		t.Errorf("got %d photos, want at least %d", len(photos), leastPhotos)
	}
	with := 0
	for _, p := range photos {
		if len(p.seen) > 0 {
			with++
		}
	}
	if with < 50 || len(photos)-with < 50 {
		t.Errorf("got %d photos with faces and %d without, want at least 50 each", with, len(photos)-with)
	}
	if _, err := parse("a photo without its checksum\n"); err == nil {
		t.Error("parse of a damaged list succeeded, want an error")
	}
}

// TestTooFewPhotos checks that a directory without the photos is an error.
func TestTooFewPhotos(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{t.TempDir()}, &out)
	if err == nil || !strings.Contains(out.String(), "0 of 171 photos") {
		t.Errorf("got %q, %v, want 0 of 171 photos and an error", out.String(), err)
	}
}
