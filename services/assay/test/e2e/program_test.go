package e2e

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// startWait bounds a program's start, and its end after a signal.
const startWait = 60 * time.Second

// program is a running process of one role.
type program struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	output *transcript
	exited chan struct{} // closed once the process has ended
}

// launch starts a role with nothing in its environment but env and what any
// process needs. It ends with the test.
func launch(t *testing.T, role string, env []string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	home := t.TempDir()
	cmd.Env = append([]string{
		roleVariable + "=" + role, "HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"),
		"GORACE=" + os.Getenv("GORACE"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}, env...)
	p := &program{cmd: cmd, output: newTranscript(), exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
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
			p.output.note("cannot wait for " + role + ": " + err.Error())
		}
	}()
	t.Cleanup(func() {
		p.kill(t)
		if strings.Contains(p.output.String(), "DATA RACE") {
			written := p.output.String()
			report := written[strings.Index(written, "WARNING: DATA RACE"):]
			t.Errorf("%s has a data race:\n%s", role, report[:min(len(report), 8000)])
		}
		if t.Failed() {
			t.Logf("the last of %s:\n%s", role, p.output.tail(8000))
		}
	})
	return p
}

// await returns once the program has written text.
func (p *program) await(t *testing.T, text string) {
	t.Helper()
	late := time.After(startWait)
	for {
		written, changed := p.output.look()
		if strings.Contains(written, text) {
			return
		}
		select {
		case <-changed:
		case <-p.exited:
			if strings.Contains(p.output.String(), text) {
				return
			}
			t.Fatalf("the program ended without %q:\n%s", text, p.output.tail(8000))
		case <-late:
			t.Fatalf("the program has not written %q after %s:\n%s", text, startWait, p.output.tail(8000))
		}
	}
}

// written returns the output of the program so far.
func (p *program) written() string { return p.output.String() }

// kill kills the process, like kill -9.
func (p *program) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill: %v", err)
	}
	<-p.exited
}

// interrupt interrupts the process, like Ctrl-C, and returns the exit status.
func (p *program) interrupt(t *testing.T) int {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("interrupt: %v", err)
	}
	return p.end(t)
}

// end waits until the process ends and returns the exit status.
func (p *program) end(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(startWait):
		t.Fatalf("the program still runs after %s:\n%s", startWait, p.output.tail(8000))
	}
	return p.cmd.ProcessState.ExitCode()
}

// transcript is the output of a program.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed at the next write
}

func newTranscript() *transcript { return &transcript{changed: make(chan struct{})} }

func (w *transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.changed)
	w.changed = make(chan struct{})
	return w.text.Write(b)
}

func (w *transcript) note(line string) { _, _ = w.Write([]byte(line + "\n")) } // a buffer does not fail

func (w *transcript) look() (string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String(), w.changed
}

func (w *transcript) String() string {
	text, _ := w.look()
	return text
}

// tail returns the last n bytes or fewer.
func (w *transcript) tail(n int) string {
	text := w.String()
	return text[max(0, len(text)-n):]
}
