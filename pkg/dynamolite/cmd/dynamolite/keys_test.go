package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	for content, want := range map[string]map[string]string{
		"[default]\naws_access_key_id = a\naws_secret_access_key = s=\n\n[b]\naws_access_key_id=b\naws_secret_access_key=t": {"a": "s=", "b": "t"},
		"[default]\naws_access_key_id = a\n[b]\naws_secret_access_key = t\n":                                                nil,
		"": nil,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readKeys(path)
		if !maps.Equal(got, want) || (want == nil) != (err != nil) || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got %v, %v, want %v", content, got, err, want)
		}
	}
}
