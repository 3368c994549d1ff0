package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCredentialsAreVariables(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"ASSAY_TEST_SECRET": "hush\n", "ASSAY_TEST_SET": "from file", "ASSAY_tls.crt": "certificate", "PATH": "/nowhere", "ASSAY_TEST_": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	path := os.Getenv("PATH")
	t.Setenv("ASSAY_TEST_SET", "from environment")
	for _, name := range []string{"ASSAY_TEST_SECRET", "ASSAY_TEST_"} { // restored at the end of the test
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	if err := SetCredentials(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"ASSAY_TEST_SECRET": "hush", "ASSAY_TEST_SET": "from environment", "ASSAY_tls.crt": "", "PATH": path} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	t.Setenv("CREDENTIALS_DIRECTORY", filepath.Join(dir, "absent"))
	if err := SetCredentials(); err != nil {
		t.Errorf("an absent folder: got %v, want no error", err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", filepath.Join(dir, "PATH"))
	if err := SetCredentials(); err == nil {
		t.Error("a file instead of a folder: got no error, want one")
	}
}
