package tutorial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// reader is a person who follows a document: a home folder, a terminal with the server and one for commands.
type reader struct {
	home    string
	env     []string
	address string // host and port of the server
	server  *exec.Cmd
}

// newReader returns a reader with the program in the path. Servers choose free ports.
func newReader(t *testing.T) *reader {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err == nil {
		err = os.Mkdir(filepath.Join(home, "bin"), 0o700)
	}
	if err == nil {
		err = os.Symlink(program, filepath.Join(home, "bin", "assay"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &reader{home: home, env: []string{
		"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":" + os.Getenv("PATH"), "TMPDIR=" + home, "TERM=xterm", "TZ=UTC",
		"ASSAY_ADDR=127.0.0.1:0", "ASSAY_LOG_LEVEL=error", "ASSAY_ENGINES=" + wasmtest.Compiled(t).Cache, "ASSAY_PHOTOJOB_FACES=false", "GORACE=atexit_sleep_ms=0",
	}}
}

// shell returns a command of bash in the home folder that ends, with all that it has started, at the end of the test.
func (r *reader) shell(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", args...)
	c.Dir, c.Env = r.home, r.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	t.Cleanup(func() {
		if c.Process == nil {
			return
		}
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
		_ = c.Wait() // it was killed
	})
	return c
}

// start runs the commands that start the server, and waits until it is ready.
func (r *reader) start(t *testing.T, commands string) {
	t.Helper()
	c := r.shell(t, "-euc", commands)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = t.Output()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r.server = c
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "Assay is ready." {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until the server ends
			found, err := endpoints.Read(filepath.Join(r.home, ".local", "share", "assay"))
			if err != nil {
				t.Fatal(err)
			}
			r.address = strings.TrimPrefix(found.HTTP, "http://")
			return
		}
	}
	t.Fatalf("the server did not become ready: %v", lines.Err())
}

// terminal is a running bash.
type terminal struct {
	in    io.Writer
	lines chan string
	home  string
	ran   int
}

func (r *reader) open(t *testing.T) *terminal {
	t.Helper()
	c := r.shell(t, "-eu")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = w, w
	if err := errors.Join(c.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	term := &terminal{in: in, home: r.home, lines: make(chan string, 1000)}
	go func() {
		defer close(term.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			term.lines <- lines.Text()
		}
	}()
	return term
}

// blockTime limits the time of one block of commands.
const blockTime = 2 * time.Minute

// run runs a block of commands and returns its output. The test fails if a command fails.
func (term *terminal) run(t *testing.T, block string) string {
	t.Helper()
	term.ran++
	path := filepath.Join(term.home, fmt.Sprintf("block%d.sh", term.ran))
	end := fmt.Sprintf("<end of block %d>", term.ran)
	if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(term.in, ". %s </dev/null; echo '%s'\n", path, end); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	late := time.NewTimer(blockTime)
	defer late.Stop()
	for {
		select {
		case line, open := <-term.lines:
			if line == end {
				return out.String()
			}
			if !open {
				t.Fatalf("a command failed:\n%s\noutput:\n%s", block, out.String())
			}
			out.WriteString(line + "\n")
		case <-late.C:
			t.Fatalf("the commands did not end within %s:\n%s\noutput:\n%s", blockTime, block, out.String())
		}
	}
}
