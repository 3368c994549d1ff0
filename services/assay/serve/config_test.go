package serve

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/process"
)

func TestOrigins(t *testing.T) {
	page := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	cfg := Config{Addr: "127.0.0.1:0", Exposure: process.Exposure{PublicHosts: []string{" Assay.example", "", "other.example:8443"}}}
	want := []string{
		"http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080",
		"http://assay.example:8080", "http://assay.example", "https://assay.example",
		"http://other.example:8080", "http://other.example:8443", "https://other.example:8443",
	}
	if got := cfg.origins(page); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	page.Port = 80
	want = []string{"http://localhost", "http://127.0.0.1", "http://[::1]", "http://10.1.2.3"}
	if got := (Config{Addr: "10.1.2.3:80"}).origins(page); !slices.Equal(got, want) {
		t.Errorf("on port 80: got %v\nwant %v", got, want)
	}
}

// TestKeepPrivate checks that only the files of the server become private, and that a directory shared
// between users is rejected.
func TestKeepPrivate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"s3", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{".": 0o777, "s3": 0o755, "other": 0o755} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := keepPrivate(dir); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{".": 0o700, "s3": 0o700, "other": 0o755} {
		if is, err := os.Stat(filepath.Join(dir, name)); err != nil || is.Mode().Perm() != mode {
			t.Errorf("%s: got the mode %v, %v, want %v", name, is.Mode(), err, mode)
		}
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := keepPrivate(dir); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("keepPrivate of a folder shared between users: got %v, want an error that names --data", err)
	}
}
