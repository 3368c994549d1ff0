package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// terminal is a pseudoterminal: what a program writes to it is recorded.
type terminal struct {
	user, program *os.File

	mu   sync.Mutex
	text strings.Builder
}

func newTerminal(t *testing.T, columns, lines uint16) *terminal {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Close() }) // the test closes it first
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	tty := &terminal{user: user, program: program}
	tty.resize(t, columns, lines)
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := user.Read(buffer)
			tty.mu.Lock()
			tty.text.Write(buffer[:n])
			tty.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return tty
}

func (tty *terminal) resize(t *testing.T, columns, lines uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(tty.user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: lines}); err != nil {
		t.Fatal(err)
	}
}

// written returns what the program has written after the given number of bytes.
func (tty *terminal) written(after int) string {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return tty.text.String()[after:]
}

// await waits until the program has written text after the given number of bytes, and returns all that it has written.
func (tty *terminal) await(t *testing.T, after int, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		if written := tty.written(after); strings.Contains(written, text) {
			return written
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the terminal does not show %q: %q", text, tty.written(after))
		}
	}
}

// startTop runs `assay top` on a terminal and returns a channel with its exit status.
func (tty *terminal) startTop(ctx context.Context, t *testing.T, args ...string) <-chan int {
	t.Helper()
	ended := make(chan int, 1)
	go func() { ended <- Run(ctx, append([]string{"top"}, args...), tty.program, tty.program, io.Discard) }()
	return ended
}

// TestTopOnATerminal checks that the view is drawn on the alternate screen, redrawn in the new size after a resize, and removed
// when q is pressed, after which the terminal has its previous modes.
func TestTopOnATerminal(t *testing.T) {
	tty := newTerminal(t, 80, 24)
	before, err := unix.IoctlGetTermios(int(tty.program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	ended := tty.startTop(t.Context(), t, "--data", testDir, "--interval", "500ms")
	first := tty.await(t, 0, "LAST ERRORS")
	if !strings.HasPrefix(first, enterScreen) {
		t.Errorf("the output begins with %q, want %q", first[:min(len(first), 40)], enterScreen)
	}
	frame := first[strings.LastIndex(first, topLeft):]
	if lines := strings.Count(frame, "\r\n") + 1; lines > 24 || !strings.Contains(frame, "\x1b[1mAREA") {
		t.Errorf("the frame has %d lines, want at most 24 with bold headings: %q", lines, frame)
	}
	resized := len(first)
	tty.resize(t, 40, 8)
	tty.await(t, resized, "assay top")
	small := tty.await(t, resized, clearBelow)
	if last := small[strings.Index(small, topLeft):]; strings.Count(last[:strings.Index(last, clearBelow)], "\r\n")+1 > 8 {
		t.Errorf("the frame of a terminal with 8 lines is %q", last)
	}
	if _, err := tty.user.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("the exit status is %d, want 0", status)
	}
	if all := tty.await(t, 0, leaveScreen); !strings.HasSuffix(all, leaveScreen) {
		t.Errorf("the output ends with %q, want %q", all[max(0, len(all)-40):], leaveScreen)
	}
	after, err := unix.IoctlGetTermios(int(tty.program.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the modes of the terminal are %+v, %v, want %+v", after, err, before)
	}
}

// TestTopEndsWithCtrlC checks that Ctrl-C, which is a character in raw mode, ends the view without an error.
func TestTopEndsWithCtrlC(t *testing.T) {
	tty := newTerminal(t, 80, 24)
	ended := tty.startTop(t.Context(), t, "--data", testDir)
	tty.await(t, 0, "LAST ERRORS")
	if _, err := tty.user.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("the exit status is %d, want 0", status)
	}
}

// TestTopWaitsForTheServer checks that a server that does not respond is shown in the first line, that the view does not end,
// and that the state is shown once the server responds.
func TestTopWaitsForTheServer(t *testing.T) {
	tty := newTerminal(t, 80, 24)
	found, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newGate(t, found.Operator)
	ctx, stop := context.WithCancel(t.Context())
	ended := tty.startTop(ctx, t, "--operator", proxy.addr, "--interval", "500ms")
	tty.await(t, 0, "NO DATA: ")
	proxy.open(t)
	tty.await(t, 0, "LAST ERRORS")
	proxy.shut()
	tty.await(t, 0, "NO DATA for ")
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("the exit status after an interrupt is %d, want 0", status)
	}
}

// TestTopFindsARestartedServer checks that the view looks up the address of a server that does not respond again: after a
// restart, "assay serve" can have another one.
func TestTopFindsARestartedServer(t *testing.T) {
	tty, dir := newTerminal(t, 80, 24), t.TempDir()
	found, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	before := found
	before.Operator = "http://" + newGate(t, found.Operator).addr
	if err := endpoints.Write(dir, before); err != nil {
		t.Fatal(err)
	}
	ended := tty.startTop(t.Context(), t, "--data", dir, "--interval", "500ms")
	tty.await(t, 0, before.Operator+"  NO DATA: ")
	if err := endpoints.Write(dir, found); err != nil {
		t.Fatal(err)
	}
	tty.await(t, 0, "LAST ERRORS")
	tty.await(t, 0, found.Operator)
	if _, err := tty.user.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("the exit status is %d, want 0", status)
	}
}
