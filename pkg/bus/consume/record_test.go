package consume_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/event"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(doomedDir); dir != "" {
		os.Exit(runDoomed(dir))
	}
	goleak.VerifyTestMain(m)
}

// doomedDir names an environment variable with the data directory of a process. Like `assay
// serve`, the process runs NATS and a worker; one of its items crashes it.
const doomedDir = "ASSAY_TEST_DOOMED"

const doomedAttempts = 3

// TestItemThatCrashesTheProcessRunsOutOfAttempts checks that attempts are counted when the
// worker and the server crash together, before the server has stored its count. Another item in
// progress at the same time is completed, although it takes longer than the time to the crash.
func TestItemThatCrashesTheProcessRunsOutOfAttempts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kills := 0
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 3*bustest.Patience)
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), doomedDir+"="+dir)
		output, err := cmd.CombinedOutput()
		cancel()
		if err == nil {
			break
		}
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the process exited before it was killed: %v\n%s", err, output)
		}
		if kills++; kills > 2*doomedAttempts {
			t.Fatalf("the process was killed %d times, and the item still has attempts", kills)
		}
	}
	if kills != doomedAttempts {
		t.Errorf("the process was killed %d times, want %d", kills, doomedAttempts)
	}
	if _, err := os.Stat(filepath.Join(dir, "done-long")); err != nil {
		t.Errorf("the other item was not completed: %v", err)
	}
	url, stop, err := bustest.Serve(dir, server.Options{SyncAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	w := bustest.OpenAt(t, url, bus.Config{})
	deadLetters := w.Dead(t)
	if len(deadLetters) != 1 || deadLetters[0].Header.Get("ce-subject") != "killer" || deadLetters[0].Header.Get(event.DeadAttempts) != fmt.Sprint(doomedAttempts+1) ||
		!strings.HasPrefix(deadLetters[0].Header.Get(event.DeadReason), "gave up after 3 attempts") {
		var got []nats.Header
		for _, deadLetter := range deadLetters {
			got = append(got, deadLetter.Header)
		}
		t.Errorf("got dead letters %v, want one of killer that gave up after %d attempts", got, doomedAttempts)
	}
	logged, err := w.Bus.Attempts(t.Context(), "killer")
	if err != nil || len(logged) != 1 || len(logged[0].Attempts) != doomedAttempts+1 {
		t.Fatalf("got records %+v, %v, want one with %d attempts", logged, err, doomedAttempts+1)
	}
	for i, a := range logged[0].Attempts {
		if crashed := i < doomedAttempts; a.Number != i+1 || a.Began.IsZero() || a.Ended.IsZero() != crashed {
			t.Errorf("attempt %d is %+v, want the time of its beginning, and of its end unless it crashed", i+1, a)
		}
	}
}

// runDoomed processes messages until none are left, unless it is killed first. It returns the
// exit code.
func runDoomed(dir string) int {
	if err := doomed(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func doomed(dir string) error {
	url, stop, err := bustest.Serve(dir, server.Options{SyncAlways: true})
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b, err := bus.Connect(ctx, bustest.Settings(url, bus.Config{}), "doomed", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		return err
	}
	published := filepath.Join(dir, "published")
	if _, err := os.Stat(published); errors.Is(err, os.ErrNotExist) {
		for _, item := range []string{"killer", "long"} {
			if err := b.Publish(ctx, bustest.Uploaded(item)); err != nil {
				return err
			}
		}
		if err := os.WriteFile(published, nil, 0o600); err != nil {
			return err
		}
	}
	nc, err := nats.Connect(url)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	longBegan := make(chan struct{})
	awaitLong := func() { // waits until the item "long" has begun, unless it is done
		began := longBegan
		if _, err := os.Stat(filepath.Join(dir, "done-long")); err == nil {
			began = nil
		}
		select {
		case <-began:
		case <-time.After(500 * time.Millisecond):
		}
	}
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		if d.Item == "killer" {
			awaitLong()
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return err
			}
			return self.Kill()
		}
		close(longBegan)
		select {
		case <-time.After(time.Second):
			return os.WriteFile(filepath.Join(dir, "done-long"), nil, 0o600)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Parallel, c.Attempts, c.Lease = 2, doomedAttempts, time.Second
	go func() {
		defer cancel()
		for {
			work, err := js.Stream(ctx, bustest.WorkStream)
			if err != nil || work.CachedInfo().State.Msgs == 0 {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	return consume.New(b, zerolog.Nop(), prometheus.NewRegistry()).Run(ctx, c)
}
