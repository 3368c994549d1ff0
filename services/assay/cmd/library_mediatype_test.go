package cmd

import "testing"

func TestMediaTypeStatesNoCharset(t *testing.T) {
	for path, want := range map[string]string{"a/page.html": "text/html", "picture.png": "image/png", "README": ""} {
		if got := mediaType(path); got != want {
			t.Errorf("mediaType(%q) = %q instead of %q", path, got, want)
		}
	}
}
