//go:build noclients

package postgres

import (
	"strings"
	"testing"
)

// TestWithoutTheEngine checks that a program without the engine refuses the URL of a database, and says what to use.
func TestWithoutTheEngine(t *testing.T) {
	const url = "postgres://ann:hunter2@host/search"
	if err := Validate(url); err == nil || !strings.Contains(err.Error(), "without the PostgreSQL engine") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got error %v, want that the engine is missing", err)
	}
	if _, err := At(url, "library")(t.Context(), false); err == nil {
		t.Error("got no error from opening an index")
	}
}
