package config

import (
	"slices"
	"testing"
)

func TestUnknown(t *testing.T) {
	got := Unknown([]string{
		"PATH=/bin", "ASSAY_ADDR=:80", "ASSAY_OWNER=me", "ASSAY_NEWSAPI_KEY=k", "ASSAY_NEWSAPI_KEY_2=k", "ASSAY_PORTER=x", "ASSAY_IMAGE=assay:1",
		"ASSAY_ATTEMPT=3", "ASSAY_NEWSAPI_KEYS=k", "ASSAY_COMPLETELY_DIFFERENT=", "assay_addr=x",
	}, Variable{Name: "ASSAY_PORTER"})
	want := []string{
		"ASSAY_ATTEMPT is not a variable of Assay and has no effect; did you mean ASSAY_ATTEMPTS?",
		"ASSAY_COMPLETELY_DIFFERENT is not a variable of Assay and has no effect",
		"ASSAY_NEWSAPI_KEYS is not a variable of Assay and has no effect; did you mean ASSAY_NEWSAPI_KEY?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEdits(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"", "ab"}: 2, {"kitten", "sitting"}: 3, {"flaw", "lawn"}: 2, {"abc", "abc"}: 0, {"ab", "ba"}: 2,
	} {
		if got := edits(pair[0], pair[1]); got != want {
			t.Errorf("edits(%q, %q) = %d, want %d", pair[0], pair[1], got, want)
		}
		if got := edits(pair[1], pair[0]); got != want {
			t.Errorf("edits(%q, %q) = %d, want %d", pair[1], pair[0], got, want)
		}
	}
}
