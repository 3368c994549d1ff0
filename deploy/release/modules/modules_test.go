package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestForeignReplacementIsAnError(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.work": "go 1.26\nuse ./a\n",
		"a/go.mod": "module example.com/a\n\ngo 1.26\n\nrequire example.com/other v1.0.0\n\n" +
			"replace example.com/other => ../other\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if tags, err := Write(root, "v0.1.0"); err == nil || !strings.Contains(err.Error(), "example.com/other") {
		t.Errorf("Write(v0.1.0) = %v, %v; want an error that names the replaced module", tags, err)
	}
	if tags, err := Write(root, "0.1.0"); err == nil {
		t.Errorf("Write(0.1.0) = %v, nil; want an error because the version has no v", tags)
	}
}
