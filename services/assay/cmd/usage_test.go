package cmd

import (
	"strings"
	"testing"
)

func TestMistypedCommandsAreSuggested(t *testing.T) {
	for command, want := range map[string]string{"uplaod": "upload", "dlete": "delete", "photos": "photo"} {
		got := run(t.Context(), "", command)
		if got.status != exitUsage || !strings.Contains(got.errors, `unknown command "`+command+`"`) || !strings.Contains(got.errors, "did you mean "+want+"?") {
			t.Errorf("assay %s: got status %d and %q, want %d and a suggestion of %s", command, got.status, got.errors, exitUsage, want)
		}
	}
	for _, group := range []string{"feed", "dead", "library"} {
		if got := run(t.Context(), "", group, "shwo"); got.status != exitUsage || !strings.Contains(got.errors, `unknown command "shwo" for "assay `+group+`"`) {
			t.Errorf("assay %s shwo: got status %d and %q, want %d and an unknown command", group, got.status, got.errors, exitUsage)
		}
	}
	if got := run(t.Context(), "", "feed", "reanalize"); !strings.Contains(got.errors, "did you mean reanalyze?") {
		t.Errorf("assay feed reanalize: got %q, want a suggestion of reanalyze", got.errors)
	}
	if got := run(t.Context(), "", "xyzzy"); got.status != exitUsage || strings.Contains(got.errors, "did you mean") {
		t.Errorf("assay xyzzy: got status %d and %q, want %d and no suggestion", got.status, got.errors, exitUsage)
	}
}

func TestServerWithoutScheme(t *testing.T) {
	for given, want := range map[string]string{
		"localhost:8080": "http://localhost:8080", "127.0.0.1:1": "http://127.0.0.1:1", "[::1]:80": "http://[::1]:80", "assay.example": "assay.example",
		"https://assay.example": "https://assay.example", "http://a/b": "http://a/b", "ftp://a": "ftp://a",
	} {
		if got := withScheme(given); got != want {
			t.Errorf("withScheme(%q) = %q, want %q", given, got, want)
		}
	}
}
