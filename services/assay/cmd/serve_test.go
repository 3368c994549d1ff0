package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/serve"
)

// The commands run against a real server: all tests share one `assay serve`, and each has its own
// owner.

// testDir is the server's data directory.
var testDir string

func TestMain(m *testing.M) {
	status, err := serveAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func serveAndRun(m *testing.M) (status int, err error) {
	if testDir, err = os.MkdirTemp("", "assay-cli-"); err != nil {
		return 1, err
	}
	defer func() {
		if failed := os.RemoveAll(testDir); err == nil {
			err = failed
		}
	}()
	compiled, err := wasm.UserCache()
	if err == nil {
		err = errors.Join(wasmtest.Fill(compiled), wasmtest.FillRDKit(compiled))
	}
	if err != nil {
		return 1, err
	}
	// The services in serve read the environment. Face detection is slow with the race detector.
	if err := errors.Join(
		os.Setenv("ASSAY_ENGINES", compiled), os.Setenv("ASSAY_PHOTOJOB_FACES", "false"), os.Setenv("ASSAY_WEBHOOKS_ALLOW_NETWORKS", "127.0.0.0/8"),
	); err != nil {
		return 1, err
	}
	receiver = httptest.NewServer(http.HandlerFunc(receive))
	defer receiver.Close()
	cfg, err := config.Load[serve.Config]([]string{"ASSAY_ADDR=127.0.0.1:0", "ASSAY_DATA_DIR=" + testDir, "ASSAY_LOG_LEVEL=error"})
	if err != nil {
		return 1, err
	}
	cfg.Owner = "of-this-machine"
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(announced), make(chan error, 1)
	go func() { ended <- serve.Run(ctx, cfg, ready) }()
	defer func() {
		stop()
		if failed := <-ended; err == nil {
			err = failed
		}
	}()
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		return 1, fmt.Errorf("serve: %w", err)
	}
	return m.Run(), nil
}

// receiver receives webhooks. At /fail it rejects them.
var receiver *httptest.Server

func receive(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/fail" {
		http.Error(w, "no such order", http.StatusInternalServerError)
	}
}

// announced receives the output of serve when it is ready.
type announced chan struct{}

func (a announced) Write(p []byte) (int, error) {
	close(a)
	return len(p), nil
}

// person runs commands as one owner.
type person struct {
	owner string
	*testing.T
}

func newPerson(t *testing.T) person {
	t.Helper()
	found, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSAY_SERVER", found.HTTP)
	return person{owner: "cli-" + uuid.NewString(), T: t}
}

func (p person) run(args ...string) ran { return p.pipe("", args...) }

// pipe runs a command with the given standard input.
func (p person) pipe(stdin string, args ...string) ran {
	p.Helper()
	p.Setenv("ASSAY_OWNER", p.owner)
	return run(p.Context(), stdin, args...)
}

// upload uploads a text with a name, waits for the final status and returns the id.
func (p person) upload(name, content string) string {
	p.Helper()
	got := p.pipe(content, "upload", "-", "--wait", "--name", name)
	id := ids.FindString(got.out)
	if id == "" {
		p.Fatalf("upload of %s: got %+v, want the id of a file", name, got)
	}
	return id
}

// ran is the result of one command.
type ran struct {
	status      int
	out, errors string
}

func run(ctx context.Context, stdin string, args ...string) ran {
	var out, errs bytes.Buffer
	status := Run(ctx, args, strings.NewReader(stdin), &out, &errs)
	return ran{status, out.String(), errs.String()}
}

var (
	ids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	jobs  = regexp.MustCompile(`\b0[0-9A-HJKMNP-TV-Z]{25}\b`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d`)
)

// unique replaces every id with ID and every time with TIME.
func unique(text string) string {
	return times.ReplaceAllString(jobs.ReplaceAllString(ids.ReplaceAllString(text, "ID"), "ID"), "TIME")
}

// want checks exit status and output, where ID matches any id and TIME any time. It checks that the
// errors contain errs, or are empty if errs is empty.
func (r ran) want(t *testing.T, status int, out, errs string) {
	t.Helper()
	if r.status != status {
		t.Errorf("got exit status %d, want %d", r.status, status)
	}
	if got := unique(r.out); got != out {
		t.Errorf("got the output\n%s\nwant\n%s", got, out)
	}
	if got := unique(r.errors); errs == "" && got != "" || !strings.Contains(got, errs) {
		t.Errorf("got the errors\n%s\nwant\n%s", got, errs)
	}
}
