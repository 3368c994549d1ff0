package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/config"
)

// settings are the settings that the service of these tests reads.
type settings struct {
	Mode string `env:"ASSAY_TEST_MODE,required" doc:"what the service does"`
	Addr string `env:"ASSAY_ADDR" doc:"where it would listen"`
}

func (s settings) HTTPAddr() string { return s.Addr }

// TestMain runs the service if a test has started this binary again.
func TestMain(m *testing.M) {
	if os.Getenv("ASSAY_TEST_SERVICE") == "" {
		os.Exit(m.Run())
	}
	os.Exit(Main("porter", serve, "Copyright of the porter's keys\n"))
}

func serve(ctx context.Context, s settings) error {
	fmt.Println("running")
	switch s.Mode {
	case "fail":
		return errors.New("the table is missing")
	case "odd":
		return fmt.Errorf("open: %w", config.Unusable(errors.New("ASSAY_TEST_MODE is odd")))
	case "drain":
		<-ctx.Done()
		fmt.Println("draining")
		return nil
	case "hang":
		<-ctx.Done()
		fmt.Println("draining")
		select {}
	}
	return nil
}

// start starts the service in its own process.
func start(t *testing.T, mode string, arguments ...string) (service *exec.Cmd, out *bufio.Scanner, errs *strings.Builder) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	service = exec.CommandContext(ctx, os.Args[0], arguments...)
	service.Env = append(os.Environ(), "ASSAY_TEST_SERVICE=1", "ASSAY_TEST_MODE="+mode)
	errs = &strings.Builder{}
	service.Stderr = errs
	pipe, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	return service, bufio.NewScanner(pipe), errs
}

func await(t *testing.T, out *bufio.Scanner, line string) {
	t.Helper()
	if !out.Scan() || out.Text() != line {
		t.Fatalf("got %q (%v), want %q", out.Text(), out.Err(), line)
	}
}

// status waits until the service ends, and returns its status.
func status(t *testing.T, service *exec.Cmd) syscall.WaitStatus {
	t.Helper()
	_, exited := errors.AsType[*exec.ExitError](service.Wait())
	state, ok := service.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || exited == service.ProcessState.Success() {
		t.Fatalf("got process state %v, want an exit status or a signal", service.ProcessState)
	}
	return state
}

func TestExitStatus(t *testing.T) {
	for mode, want := range map[string]struct {
		status int
		stderr string
	}{
		"end":  {0, ""},
		"fail": {1, "porter: the table is missing"},
		"odd":  {2, "porter: open: ASSAY_TEST_MODE is odd"},
		"":     {2, "ASSAY_TEST_MODE"},
	} {
		service, out, errs := start(t, mode)
		for out.Scan() {
		}
		if got := status(t, service).ExitStatus(); got != want.status || !strings.Contains(errs.String(), want.stderr) {
			t.Errorf("mode %q: got status %d and stderr %q, want %d and %q", mode, got, errs, want.status, want.stderr)
		}
	}
}

// TestHelpNeedsNoSettings checks that help is printed without the required settings, and names them.
func TestHelpNeedsNoSettings(t *testing.T) {
	for _, argument := range []string{"help", "--help", "-h"} {
		service, out, errs := start(t, "", argument)
		var text strings.Builder
		for out.Scan() {
			text.WriteString(out.Text() + "\n")
		}
		if got := status(t, service).ExitStatus(); got != 0 || errs.Len() > 0 {
			t.Errorf("%s: got status %d and stderr %q, want 0 and nothing", argument, got, errs)
		}
		for _, want := range []string{"  porter health ", "  ASSAY_TEST_MODE (required)\n      what the service does\n"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: got %q, want it to contain %q", argument, text.String(), want)
			}
		}
		if strings.Contains(text.String(), "ASSAY_ADDR") {
			t.Errorf("%s: got %q, want no setting that users rarely set", argument, text.String())
		}
	}
	service, out, errs := start(t, "end", "halth")
	for out.Scan() {
	}
	if got := status(t, service).ExitStatus(); got != 2 || !strings.Contains(errs.String(), "or help") {
		t.Errorf("an unknown argument: got status %d and stderr %q, want 2 and a hint at help", got, errs)
	}
}

func TestFirstSignalDrains(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		service, out, errs := start(t, "drain")
		await(t, out, "running")
		if err := service.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		await(t, out, "draining")
		if got := status(t, service); got.ExitStatus() != 0 {
			t.Errorf("%s: got %v, want exit status 0; stderr: %s", signal, got, errs)
		}
	}
}

func TestSecondSignalEndsImmediately(t *testing.T) {
	service, out, _ := start(t, "hang")
	await(t, out, "running")
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, out, "draining")
	// The default behavior is restored shortly after the first signal, so the
	// second one may still be ignored.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for out.Scan() {
		}
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for over := false; !over; {
		if err := service.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case <-ended:
			over = true
		case <-tick.C:
		}
	}
	if got := status(t, service); !got.Signaled() || got.Signal() != syscall.SIGTERM {
		t.Errorf("the service ended with status %v, want SIGTERM", got)
	}
}
