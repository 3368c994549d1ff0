package consume_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestOneTenantLeavesWorkersToOthers checks that work of one tenant that does not end until another tenant's work has
// been handled does not occupy all workers, and that deliveries which are returned for that reason use no attempt.
func TestOneTenantLeavesWorkersToOthers(t *testing.T) {
	w := bustest.Open(t)
	const long = 6
	for n := range long {
		w.Publish(t, bustest.UploadedBy("ann", fmt.Sprintf("long%d", n)))
	}
	other, done := make(chan struct{}), make(chan int, long)
	started := make(chan string, long)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		if d.Item == "other" {
			close(other)
			return nil
		}
		started <- d.Item
		<-other
		done <- d.Attempt
		return nil
	})
	c.Parallel, c.Share = 3, 2
	bustest.Consume(t, w.Bus, c)
	for range c.Share {
		bustest.Next(t, started, "long work")
	}
	w.Publish(t, bustest.UploadedBy("bob", "other"))
	bustest.Next(t, other, "the other tenant's work")
	for range long {
		if attempt := bustest.Next(t, done, "the end of long work"); attempt != 1 {
			t.Errorf("got attempt %d, want 1", attempt)
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}
