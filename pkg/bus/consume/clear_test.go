package consume_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestAcknowledgedMessageIsRemoved checks that a message is removed without another attempt, and
// its item can be queued again, if a killed server has stored that the message was acknowledged,
// but not its removal from the queue. The test recreates the server's files as after such a crash.
func TestAcknowledgedMessageIsRemoved(t *testing.T) {
	dir := t.TempDir()
	files := filepath.Join(dir, "jetstream", "$G", "streams", bustest.WorkStream, "msgs")
	before := map[string][]byte{}
	func() {
		url, stop, err := bustest.Serve(dir, server.Options{SyncAlways: true})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		w := bustest.OpenAt(t, url, bus.Config{})
		w.Publish(t, bustest.Uploaded("f1"))
		names, err := filepath.Glob(filepath.Join(files, "*.blk"))
		if err != nil || len(names) == 0 {
			t.Fatalf("got %d files, error %v, want at least 1", len(names), err)
		}
		for _, name := range names {
			if before[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan string, 1)
		end := bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil }))
		bustest.Next(t, done, "work")
		w.AwaitCount(t, bustest.WorkStream, 0)
		end()
		w.Bus.Close()
	}()
	if err := os.RemoveAll(files); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(files, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range before {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	url, stop, err := bustest.Serve(dir, server.Options{SyncAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	w := bustest.OpenAt(t, url, bus.Config{})
	if n := w.Count(t, bustest.WorkStream); n != 1 {
		t.Fatalf("got %d messages, want only the one that was not removed", n)
	}
	again := make(chan bus.Delivery, 2)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { again <- d; return nil })
	c.Lease = 300 * time.Millisecond
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	w.Publish(t, bustest.UploadedAgain("f1"))
	if d := bustest.Next(t, again, "work"); d.ID != bustest.UploadedAgain("f1").ID || len(again) != 0 {
		t.Errorf("got %s and %d more messages, want the new event only", d.ID, len(again))
	}
}
