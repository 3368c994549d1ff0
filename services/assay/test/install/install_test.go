// Package install checks that a release can be installed: `go install` of the programs, and `go get`
// of dynamolite, extract, event and subscriber, from module archives as a module proxy serves them.
package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

const repository = "github.com/assay-project/assay/"

// command runs the go command with a module proxy of the release in front of the environment's proxies.
// It shares the build cache and the module cache with the test, so that only the modules of the release
// are compiled. Their dependencies were verified against go.sum when they were downloaded. The modules
// of the release are built without debugging information, optimizations or the race detector, which
// halves the build time.
type command struct {
	dir string // outside the repository and its go.work
	bin string
	env []string
}

func newCommand(t *testing.T, version string) command {
	t.Helper()
	c := command{dir: t.TempDir(), bin: t.TempDir()}
	removeFromCache(t, goEnv(t, "GOMODCACHE"), version)
	c.env = append(os.Environ(),
		"GOPROXY="+proxy(t, version)+","+goEnv(t, "GOPROXY"), "GOSUMDB=off", "GONOPROXY=none", "GOWORK=off",
		"GOFLAGS=-mod=mod -ldflags=-w "+goEnv(t, "GOFLAGS")+" '-gcflags="+repository+"...=-race=false -dwarf=false -N -l'", "GOBIN="+c.bin, "PWD="+c.dir)
	return c
}

// run runs a program in the folder of the command and returns its standard output.
func (c command) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.env, &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(output)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

// removeFromCache removes the modules of a version from the module cache when the test ends.
func removeFromCache(t *testing.T, cache, version string) {
	t.Helper()
	t.Cleanup(func() {
		var found []string
		for _, top := range []string{filepath.Join(cache, filepath.FromSlash(repository)), filepath.Join(cache, "cache", "download", filepath.FromSlash(repository))} {
			err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
				if err != nil || !strings.Contains(entry.Name(), version) {
					return err
				}
				found = append(found, path)
				if entry.IsDir() {
					return filepath.SkipDir
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		if len(found) == 0 {
			t.Error("the module cache contains no module of the release")
		}
		for _, path := range found { // the go command makes them read-only
			err := filepath.WalkDir(path, func(path string, entry os.DirEntry, err error) error {
				if err == nil && entry.IsDir() {
					err = os.Chmod(path, 0o755)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
		}
	})
}

// every makes the test also install ingest, analyzer and query, whose code the program assay contains.
var every = flag.Bool("install.all", false, "install every program, not only assay")

func TestReleaseIsInstallable(t *testing.T) {
	if testing.Short() {
		t.Skip("make rounds runs it")
	}
	version := fmt.Sprintf("v0.0.0-install.%d", time.Now().UnixNano())
	c := newCommand(t, version)
	// First, because with module pkg of the same version in the cache, `go get` searches for the package only there
	// (Go 1.26).
	c.require(t, "handling", version, "pkg/subscriber", handling(t), "pkg/event")
	c.run(t, "go", "mod", "tidy")
	c.needs(t, "pkg/subscriber", "pkg/event")
	for line := range strings.Lines(c.run(t, "go", "list", "-m", "all")) {
		if strings.Contains(line, "aws") || strings.Contains(line, "wazero") || strings.Contains(line, "nats-server") {
			t.Errorf("pkg/subscriber requires %s", line)
		}
	}
	c.run(t, "go", "build", "-o", c.bin, ".")

	c.dir = t.TempDir()
	programs := map[string][]string{"services/assay": {"version", "--json"}}
	if *every {
		for _, service := range []string{"ingest", "analyzer", "query"} {
			programs["services/"+service+"/cmd/"+service] = []string{"version"}
		}
	}
	for program, args := range programs {
		c.run(t, "go", "install", repository+program+"@"+version)
		if output := c.run(t, filepath.Join(c.bin, filepath.Base(program)), args...); !strings.Contains(output, version) {
			t.Errorf("%s prints %q, want the version %s", program, output, version)
		}
	}

	c.require(t, "embedding", version, "pkg/dynamolite", embedding(t))
	var tables struct{ TableNames []string }
	if output := c.run(t, "go", "run", "."); json.Unmarshal([]byte(output), &tables) != nil || tables.TableNames == nil {
		t.Errorf("the embedding program printed %q, want the response to ListTables", output)
	}

	c.dir = t.TempDir()
	c.require(t, "reading", version, "pkg/extract", reading(t))
	letter := officetest.Word(officetest.Paragraph("", "Dear fox"))
	if err := os.WriteFile(filepath.Join(c.dir, "letter.docx"), letter, 0o644); err != nil {
		t.Fatal(err)
	}
	if output := c.run(t, "go", "run", "."); strings.TrimSpace(output) != "Dear fox" {
		t.Errorf("the reading program printed %q, want the text of the document", output)
	}
}

// require creates a module with a program that requires a module of the release, and no other ones of it than those in
// others, which that module requires.
func (c command) require(t *testing.T, name, version, module, program string, others ...string) {
	t.Helper()
	c.run(t, "go", "mod", "init", "example.com/"+name)
	c.run(t, "go", "get", repository+module+"@"+version)
	if err := os.WriteFile(filepath.Join(c.dir, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	c.needs(t, append(others, module)...)
}

// needs checks that of the modules of the release, the module of the command requires exactly these.
func (c command) needs(t *testing.T, modules ...string) {
	t.Helper()
	var released []string
	for line := range strings.Lines(c.run(t, "go", "list", "-m", "all")) {
		needed, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of, ok := strings.CutPrefix(needed, repository); ok {
			released = append(released, of)
		}
	}
	if slices.Sort(modules); !slices.Equal(released, modules) {
		t.Errorf("got the modules %q of the repository, want %q", released, modules)
	}
}

// readme returns the first Go code in the README of a module.
func readme(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(module), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```go\n")
	code, _, _ := strings.Cut(rest, "```")
	return code
}

// reading returns the program in extract's README.
func reading(t *testing.T) string {
	t.Helper()
	return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"` + repository + `pkg/extract/office"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
` + readme(t, "pkg/extract") + `	return nil
}
`
}

// handling returns a program with the code in the READMEs of subscriber and event.
func handling(t *testing.T) string {
	t.Helper()
	return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nats-io/nats.go"

	"` + repository + `pkg/event"
	"` + repository + `pkg/subscriber"
)

func main() {
	log.Fatal(run(context.Background()), show(&nats.Msg{}))
}

func run(ctx context.Context) error {
` + readme(t, "pkg/subscriber") + `}

func show(msg *nats.Msg) error {
` + readme(t, "pkg/event") + `	return nil
}
`
}

// embedding returns the program in dynamolite's README, changed so that it sends one request to the engine and prints
// the response instead of serving forever.
func embedding(t *testing.T) string {
	t.Helper()
	code := readme(t, "pkg/dynamolite")
	const serve = `log.Fatal(http.ListenAndServe("127.0.0.1:8000", engine))`
	if !strings.Contains(code, serve) {
		t.Fatalf("the first Go code block in the README does not contain the call that serves the engine: %s", code)
	}
	return `package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"` + repository + `pkg/dynamolite"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
` + strings.Replace(code, serve, "return errors.Join(listTables(engine), engine.Close())", 1) + `}

func listTables(engine http.Handler) error {
	server := httptest.NewServer(engine)
	defer server.Close()
	request, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}
`
}
