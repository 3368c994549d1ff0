package tutorial

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fromSource makes TestReadme also run the commands that use the repository, without compiled packages and engines: make readme.
var fromSource = flag.Bool("tutorial.source", false, "also build and start the program from the repository, with an empty build cache")

// firstMinutes limits the time of all commands of the README.
const firstMinutes = 5 * time.Minute

const releasePage = "https://github.com/assay-project/assay/releases/latest/download"

// notRun are the blocks of the README that TestReadme does not run, and what runs them.
var notRun = map[string]string{
	"make check":        "the merge checks, and .ci/clean in an empty root",
	"docker compose up": "make test-stack, where there is Docker",
}

// TestReadme follows README.md line by line in an empty home: it installs the program with the installer of the release, starts
// the server, and runs the other commands in a second terminal. All must succeed within five minutes. In place of the release
// page there is a server with the installer and an archive whose program is this test. The servers choose free ports.
func TestReadme(t *testing.T) {
	t.Parallel()
	began := time.Now()
	page := publish(t)
	r := newReader(t)
	r.leave(t)
	var output strings.Builder
	var use string // the block that uses the program
	ran := 0
	for _, b := range blocksOf(t, "../../../../../README.md") {
		switch text := strings.ReplaceAll(b.text, releasePage, page); {
		case b.language != "sh":
		case strings.Contains(text, "/install.sh | sh\n"):
			install, serve, _ := strings.Cut(text, "\n")
			out, err := r.shell(t, "-euc", install).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", install, err, out)
			}
			r.start(t, serve)
		case strings.Contains(text, "assay upload") && !strings.Contains(text, "docker"):
			use = text
			r.follow(t, use, &output)
			ran++
		case strings.HasPrefix(text, "go run ./services/assay serve"):
			if *fromSource {
				r.fromSource(t, text, use, &output)
			}
		default:
			if !skips(text) {
				t.Errorf("no test runs this block of the README:\n%s", text)
			}
		}
	}
	took := time.Since(began)
	// Browsers on this machine show the files without a chosen owner.
	const same = `test "$(curl -sS http://127.0.0.1:8080/v1/session | sed 's/.*"owner":"\([^"]*\)".*/\1/')" = "$(assay owner)" && echo same-$((40+2))`
	r.follow(t, same+"\n", &output)
	t.Logf("the commands of the README took %s", took.Round(time.Second))
	if ran == 0 || took > firstMinutes {
		t.Errorf("%d blocks that use the program took %s, want at most %s", ran, took, firstMinutes)
	}
	for _, want := range []string{"(8 words, 5 distinct)", `"fileId":`, "fish.txt", "same-42"} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("the commands did not print %s:\n%s", want, output.String())
		}
	}
}

// skips reports whether a block is one of those that something else runs.
func skips(block string) bool {
	for begin := range notRun {
		if strings.HasPrefix(block, begin) {
			return true
		}
	}
	return false
}

// follow runs the lines of a block one after another in a terminal.
func (r *reader) follow(t *testing.T, block string, output *strings.Builder) {
	t.Helper()
	term := r.open(t)
	for line := range strings.Lines(strings.ReplaceAll(block, "127.0.0.1:8080", r.address)) {
		output.WriteString(term.run(t, line))
	}
}

// leave removes the program of the other tests from the path and, from source, also the compiled engines. The reader is not
// root, whatever the test is, so that nothing is installed outside of the home.
func (r *reader) leave(t *testing.T) {
	t.Helper()
	bin := filepath.Join(r.home, "bin")
	err := os.Remove(filepath.Join(bin, "assay"))
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "id"), []byte("#!/bin/sh\necho 1000\n"), 0o700) //nolint:gosec // a program
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, variable := range r.env {
		if path, is := strings.CutPrefix(variable, "PATH="); is { // as the profile of a new user has it
			r.env[i] = "PATH=" + filepath.Join(r.home, ".local", "bin") + ":" + path
		}
		if *fromSource && strings.HasPrefix(variable, "ASSAY_ENGINES=") {
			r.env[i] = "ASSAY_ENGINES=" + filepath.Join(r.home, ".cache", "assay", "engines")
		}
	}
}

// fromSource stops the server, starts the one of the repository, and uses it in the same way.
func (r *reader) fromSource(t *testing.T, serve, use string, output *strings.Builder) {
	t.Helper()
	if err := syscall.Kill(-r.server.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := r.server.Wait(); err != nil {
		t.Errorf("the server did not stop: %v", err)
	}
	root, err := filepath.Abs("../../../../..")
	if err == nil {
		err = exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "clone", "--quiet", root, filepath.Join(r.home, "assay")).Run()
	}
	if err != nil {
		t.Fatalf("cloning the repository: %v", err)
	}
	// Everything is compiled, but the cache of downloaded modules is kept: an empty one would download 300 modules.
	r.env = append(r.env, "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPROXY="+goEnv(t, "GOPROXY"), "GOFLAGS=-buildvcs=false")
	began := time.Now()
	r.start(t, "cd assay\n"+serve)
	t.Logf("the server of the repository was ready %s after its start", time.Since(began).Round(time.Second))
	r.follow(t, "cd assay\n"+strings.ReplaceAll(use, "\nassay ", "\ngo run ./services/assay "), output)
}

// publish serves a release: the installer, the archive for this platform and its checksum.
func publish(t *testing.T) string {
	t.Helper()
	const version = "v0.0.0-readme"
	program, err := os.Executable()
	link := filepath.Join(t.TempDir(), "assay")
	if err == nil {
		err = os.Symlink(program, link)
	}
	installer, readErr := os.ReadFile("../../../../../deploy/release/install.sh")
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("assay_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
	archive := archiveOf(t, name+"/assay", fmt.Sprintf("#!/bin/sh\nexec %s \"$@\"\n", link))
	files := map[string][]byte{
		name + ".tar.gz": archive, "SHA256SUMS": fmt.Appendf(nil, "%x  %s.tar.gz\n", sha256.Sum256(archive), name),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		content, found := files[strings.TrimPrefix(req.URL.Path, "/")]
		if !found {
			http.NotFound(w, req)
			return
		}
		if _, err := w.Write(content); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	files["install.sh"] = []byte(strings.NewReplacer("@VERSION@", version, "@URL@", server.URL, "@KEY@", "").Replace(string(installer)))
	return server.URL
}

// archiveOf returns an archive that contains one program.
func archiveOf(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))})
	if err == nil {
		_, err = archive.Write([]byte(content))
	}
	if err := errors.Join(err, archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}
