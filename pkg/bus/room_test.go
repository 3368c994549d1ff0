package bus

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// TestLeftBehindKeepsItsMemory: an attempt that does not return may go on growing, so
// its memory is free when it has returned; and since others wait for it, it is one too
// many at once.
func TestLeftBehindKeepsItsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		working, stop := context.WithCancel(t.Context())
		defer stop()
		full, end := context.WithCancelCause(t.Context())
		defer end(nil)
		c := Consumer{Memory: 100, Abandoned: 8}.withDefaults()
		r := newRoom(working, c, prometheus.NewGauge(prometheus.GaugeOpts{Name: "abandoned"}), end)
		hang := make(chan struct{})
		err := r.within(t.Context(), Bounds{Time: time.Second, Memory: 60}, func(context.Context) error { <-hang; return nil })
		if _, late := errors.AsType[*TimeError](err); !late {
			t.Errorf("it ended with %v", err)
		}
		if !errors.Is(context.Cause(full), ErrAbandoned) {
			t.Errorf("the consumer goes on: %v", context.Cause(full))
		}
		if r.memory.TryAcquire(1) {
			t.Error("there is memory while it goes on")
		}
		close(hang)
		synctest.Wait()
		if !r.memory.TryAcquire(r.half) {
			t.Error("there is no memory after it has returned")
		}
	})
}
