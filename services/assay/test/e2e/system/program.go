package system

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

// StartWait limits the time for a program's start, and for its end after a signal.
const StartWait = 60 * time.Second

// Program is a running process of one role.
type Program struct {
	Cmd    *exec.Cmd
	stdin  io.Closer
	Output *Transcript
	exited chan struct{} // closed once the process has ended
}

// WithoutFaces omits faces from the descriptions of photos, because the model needs seconds of CPU time for each
// photo with the race detector.
const WithoutFaces = "ASSAY_PHOTOJOB_FACES=false"

// exitImmediately is the value of GORACE for programs: by default, the race detector delays the exit of a process by a
// second, which also costs a second of CPU time.
const exitImmediately = "atexit_sleep_ms=0"

// Launch starts a program. Its environment contains only env, the variables that any process needs, the compiled engines
// of all tests, and WithoutFaces, which env can override. The process is killed when the test ends.
func Launch(t *testing.T, role string, env []string, args ...string) *Program {
	t.Helper()
	return start(t, role, exec.Command(os.Args[0], args...), env)
}

// LaunchFile is like Launch, for a program in a file, such as one of another version.
func LaunchFile(t *testing.T, path string, env []string, args ...string) *Program {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = endsWithParent()
	return start(t, path, cmd, env)
}

func start(t *testing.T, role string, cmd *exec.Cmd, env []string) *Program {
	t.Helper()
	home := t.TempDir()
	cmd.Env = append([]string{
		roleVariable + "=" + role, WithoutFaces, "ASSAY_ENGINES=" + wasmtest.Compiled(t).Cache, "HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"),
		"GORACE=" + cmp.Or(os.Getenv("GORACE"), exitImmediately), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}, env...)
	p := &Program{Cmd: cmd, Output: newTranscript(), exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Output, p.Output
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = stdin
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
			p.Output.note("cannot wait for " + role + ": " + err.Error())
		}
	}()
	t.Cleanup(func() {
		p.Kill(t)
		if strings.Contains(p.Output.String(), "DATA RACE") {
			written := p.Output.String()
			report := written[strings.Index(written, "WARNING: DATA RACE"):]
			t.Errorf("%s has a data race:\n%s", role, report[:min(len(report), 8000)])
		}
		if t.Failed() {
			t.Logf("the errors and the last output of %s:\n%s\n%s", role, p.Output.errors(8000), p.Output.Tail(8000))
		}
	})
	return p
}

// Await returns once the program has written text.
func (p *Program) Await(t *testing.T, text string) {
	t.Helper()
	late := time.After(StartWait)
	for {
		written, changed := p.Output.look()
		if strings.Contains(written, text) {
			return
		}
		select {
		case <-changed:
		case <-p.exited:
			if strings.Contains(p.Output.String(), text) {
				return
			}
			t.Fatalf("the program ended before it wrote %q:\n%s", text, p.Output.Tail(8000))
		case <-late:
			t.Fatalf("the program has not written %q after %s:\n%s", text, StartWait, p.Output.Tail(8000))
		}
	}
}

// Written returns the output of the program so far.
func (p *Program) Written() string { return p.Output.String() }

// Kill kills the process, like kill -9.
func (p *Program) Kill(t *testing.T) {
	t.Helper()
	if err := p.Cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill: %v", err)
	}
	<-p.exited
}

// Interrupt interrupts the process, like Ctrl-C, and returns the exit status.
func (p *Program) Interrupt(t *testing.T) int {
	t.Helper()
	if err := p.Cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("interrupt: %v", err)
	}
	return p.End(t)
}

// AwaitLines returns once the program has written n lines or has ended.
func (p *Program) AwaitLines(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	for {
		written, changed := p.Output.lines()
		if written >= n {
			return
		}
		select {
		case <-changed:
		case <-p.exited:
			return
		case <-ctx.Done():
			t.Fatalf("the program has written %d of %d lines: %v\n%s", written, n, ctx.Err(), p.Output.Tail(8000))
		}
	}
}

// End waits up to StartWait until the process ends, and returns the exit status.
func (p *Program) End(t *testing.T) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), StartWait)
	defer cancel()
	return p.EndWithin(ctx, t)
}

// EndWithin is like End, but waits until ctx is done.
func (p *Program) EndWithin(ctx context.Context, t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-ctx.Done():
		t.Fatalf("the program is still running: %v\n%s", ctx.Err(), p.Output.Tail(8000))
	}
	return p.Cmd.ProcessState.ExitCode()
}

// Transcript is the output of a program.
type Transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	ends    int           // number of line ends
	changed chan struct{} // closed at the next write
}

func newTranscript() *Transcript { return &Transcript{changed: make(chan struct{})} }

func (w *Transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.changed)
	w.changed = make(chan struct{})
	w.ends += bytes.Count(b, []byte("\n"))
	return w.text.Write(b)
}

func (w *Transcript) lines() (int, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ends, w.changed
}

func (w *Transcript) note(line string) { _, _ = w.Write([]byte(line + "\n")) } // writes to a buffer do not fail

func (w *Transcript) look() (string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String(), w.changed
}

func (w *Transcript) String() string {
	text, _ := w.look()
	return text
}

// errors returns at most the last n bytes of the error lines in the log.
func (w *Transcript) errors(n int) string {
	var found []byte
	for line := range strings.Lines(w.String()) {
		if strings.Contains(line, `"level":"error"`) {
			found = append(found, line...)
		}
	}
	return string(found[max(0, len(found)-n):])
}

// Tail returns at most the last n bytes of the output.
func (w *Transcript) Tail(n int) string {
	text := w.String()
	return text[max(0, len(text)-n):]
}
