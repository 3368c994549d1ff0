package cmd

import (
	"strings"
	"testing"
)

func TestMistypedCommandsAreSuggested(t *testing.T) {
	for command, want := range map[string]string{"uplaod": "upload", "dlete": "delete", "photos": "photo"} {
		got := run(t.Context(), "", command)
		if got.status != exitUsage || !strings.Contains(got.errors, `unknown command "`+command+`"`) || !strings.Contains(got.errors, "did you mean "+want+"?") {
			t.Errorf("%s: %d %s", command, got.status, got.errors)
		}
	}
	for _, group := range []string{"feed", "dead", "library"} {
		if got := run(t.Context(), "", group, "shwo"); got.status != exitUsage || !strings.Contains(got.errors, `unknown command "shwo" for "assay `+group+`"`) {
			t.Errorf("%s shwo: %d %s", group, got.status, got.errors)
		}
	}
	if got := run(t.Context(), "", "feed", "reanalize"); !strings.Contains(got.errors, "did you mean reanalyze?") {
		t.Errorf("feed reanalize: %d %s", got.status, got.errors)
	}
	if got := run(t.Context(), "", "xyzzy"); got.status != exitUsage || strings.Contains(got.errors, "did you mean") {
		t.Errorf("xyzzy: %d %s", got.status, got.errors)
	}
}

func TestServersNeedNoScheme(t *testing.T) {
	for given, want := range map[string]string{
		"localhost:8080": "http://localhost:8080", "127.0.0.1:1": "http://127.0.0.1:1", "[::1]:80": "http://[::1]:80", "assay.example": "assay.example",
		"https://assay.example": "https://assay.example", "http://a/b": "http://a/b", "ftp://a": "ftp://a",
	} {
		if got := withScheme(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}
