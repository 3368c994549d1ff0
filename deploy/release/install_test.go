package release_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/deploy/release"
)

// testInstaller runs install.sh against a server with the files of the release, with and without a program that verifies
// signatures, and with files that were changed.
func testInstaller(t *testing.T, m made, public string) {
	verifier := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-race=false", "-o", filepath.Join(verifier, "minisign"), "aead.dev/minisign/cmd/minisign")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", build, err, output)
	}
	programs := linked(t, "cat", "chmod", "cp", "curl", "cut", "gzip", "id", "mkdir", "mktemp", "mv", "rm", "sha256sum", "shasum", "tar", "uname", "wget")
	archive := m.base(release.Host()) + ".tar.gz"
	appended := func(content []byte) []byte { return append(bytes.Clone(content), 'x') }
	for name, test := range map[string]struct {
		changes map[string]func([]byte) []byte
		signed  bool   // minisign is installed
		key     string // the variable with the key
		want    string // in the error output; the installation fails unless it begins with "+"
	}{
		"signed":            {nil, true, "", "+"},
		"checksum only":     {nil, false, "", "+minisign is not installed; only the checksum is verified"},
		"other key":         {nil, true, strings.Replace(public, public[20:24], "AAAA", 1), "the signature of SHA256SUMS is wrong; nothing was installed"},
		"changed archive":   {map[string]func([]byte) []byte{archive: appended}, true, "", "the checksum of " + archive + " is "},
		"changed sums":      {map[string]func([]byte) []byte{release.Sums: appended}, true, "", "the signature of SHA256SUMS is wrong"},
		"without signature": {map[string]func([]byte) []byte{release.Signature: nil}, true, "", "cannot download "},
		"without archive":   {map[string]func([]byte) []byte{archive: nil}, true, "", "cannot download "},
		"other release": {map[string]func([]byte) []byte{release.Sums: func(sums []byte) []byte {
			return bytes.ReplaceAll(sums, []byte(archive), []byte("other"))
		}}, false, "", "SHA256SUMS does not contain " + archive},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				file := strings.TrimPrefix(r.URL.Path, "/")
				content, err := os.ReadFile(filepath.Join(m.dir, filepath.Base(file)))
				change, changed := test.changes[file]
				if err != nil || changed && change == nil {
					http.NotFound(w, r)
					return
				}
				if changed {
					content = change(content)
				}
				_, _ = w.Write(content) // the installer reports an incomplete file
			}))
			defer server.Close()
			folder := filepath.Join(t.TempDir(), "new", "bin")
			// The script is read from a pipe, as after curl.
			install := exec.CommandContext(t.Context(), "sh", "-s", "--", "-b", folder)
			install.Stdin = bytes.NewReader(m.file(t, "install.sh"))
			path := programs
			if test.signed {
				path = verifier + ":" + path
			}
			install.Env = append(os.Environ(), "PATH="+path, "ASSAY_RELEASE_URL="+server.URL, "ASSAY_RELEASE_PUBLIC_KEY="+test.key, "no_proxy=127.0.0.1")
			var stdout, stderr strings.Builder
			install.Stdout, install.Stderr = &stdout, &stderr
			err := install.Run()
			want, succeeds := strings.CutPrefix(test.want, "+")
			if (err == nil) != succeeds || !strings.Contains(stderr.String(), want) {
				t.Errorf("got the error %v and %q, want success %t and %q", err, stderr.String(), succeeds, want)
			}
			said, ran := exec.CommandContext(t.Context(), filepath.Join(folder, "assay")).Output()
			if !succeeds {
				if ran == nil {
					t.Errorf("the program was installed, want no file in %s", folder)
				}
				return
			}
			if ran != nil || !strings.HasPrefix(string(said), "assay "+version+" ") || !strings.Contains(stdout.String(), "installed in "+folder) {
				t.Errorf("got %q, %v and %q, want an installed program of version %s", said, ran, stdout.String(), version)
			}
		})
	}
}

// linked returns a folder with links to those of the programs that are installed.
func linked(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if errors.Is(err, exec.ErrNotFound) {
			continue // the script needs one of several
		}
		if err := errors.Join(err, os.Symlink(path, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
