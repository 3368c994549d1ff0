//go:build clockstep

package consume_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// steps are the clock steps of the tests.
var steps = []time.Duration{-25 * time.Hour, -10 * time.Minute, 10 * time.Minute, 25 * time.Hour}

// step moves the wall clock until the test ends.
func step(t *testing.T, d time.Duration) {
	t.Helper()
	time.Step(d)
	t.Cleanup(func() { time.Step(-d) })
}

// TestSteppedClockDelaysNoPriority checks that work of all priorities is delivered without delay,
// regardless of the direction of the clock step.
func TestSteppedClockDelaysNoPriority(t *testing.T) {
	for _, d := range steps {
		t.Run(d.String(), func(t *testing.T) {
			w := bustest.Open(t)
			done := make(chan string, 1000)
			bustest.Consume(t, w.Bus, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil }))
			const items = 80 // more than fits into the first two priorities of one owner
			send := func(round string) {
				for i := range items {
					w.Publish(t, bustest.Uploaded(fmt.Sprintf("%s%d", round, i)))
				}
				for range items {
					bustest.Next(t, done, "delivery in the round "+round)
				}
			}
			send("before")
			step(t, d)
			send("after")
		})
	}
}

// TestSteppedClockDelaysNoRetry checks that a message that waits for its next attempt is
// redelivered, although the server measures the wait by the wall clock.
func TestSteppedClockDelaysNoRetry(t *testing.T) {
	for _, d := range steps {
		t.Run(d.String(), func(t *testing.T) {
			w := bustest.Open(t)
			tries := make(chan int, 10)
			c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
				tries <- d.Attempt
				if d.Attempt == 1 {
					return errors.New("not yet")
				}
				return nil
			})
			c.Lease, c.Backoff = time.Second, func(int) time.Duration { return 2 * time.Second }
			bustest.Consume(t, w.Bus, c)
			w.Publish(t, bustest.Uploaded("f1"))
			bustest.Next(t, tries, "first attempt")
			<-time.After(500 * time.Millisecond) // the server has received the negative acknowledgement by then
			step(t, d)
			bustest.Next(t, tries, "second attempt")
			w.AwaitCount(t, bustest.WorkStream, 0)
		})
	}
}
