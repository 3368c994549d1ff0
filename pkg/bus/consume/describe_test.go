package consume_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// TestDescribedDeadLetter checks that a consumer determines the reason and the attempts of its dead letters.
func TestDescribedDeadLetter(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	broken := errors.New("wasm error")
	c := bustest.Consumer(func(context.Context, bus.Delivery) error { return bus.Permanent(broken) })
	c.Describe = func(d bus.Delivery, err error) (string, int) {
		if d.Attempt != 1 || !errors.Is(err, broken) {
			t.Errorf("got attempt %d, error %v, want 1, %v", d.Attempt, err, broken)
		}
		return "the photo cannot be read", 3
	}
	bustest.Consume(t, w.Bus, c)
	w.AwaitCount(t, bustest.WorkStream, 0)
	dead := w.Dead(t)
	if len(dead) != 1 || dead[0].Header.Get(event.DeadReason) != "the photo cannot be read" || dead[0].Header.Get(event.DeadAttempts) != "3" {
		t.Errorf("got dead letters %+v, want one with the reason and the attempts of the consumer", dead)
	}
}
