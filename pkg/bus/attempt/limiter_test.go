package attempt

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// TestAbandonedKeepsItsMemory checks that the memory of an abandoned handler, which may
// continue to allocate, is not released until it returns. Because others wait for the memory,
// the handler exceeds the limit immediately.
func TestAbandonedKeepsItsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, end := context.WithCancelCause(t.Context())
		defer end(nil)
		l := NewLimiter(Limits{Parallel: 1, Memory: 100, Abandoned: 8, AbandonedFor: 5 * time.Minute},
			prometheus.NewGauge(prometheus.GaugeOpts{Name: "abandoned"}), end)
		hang := make(chan struct{})
		err := l.Run(t.Context(), time.Second, 60, func(context.Context) error { <-hang; return nil })
		if _, late := errors.AsType[*TimeError](err); !late {
			t.Errorf("Run returned %v, want a TimeError", err)
		}
		if !errors.Is(context.Cause(full), ErrAbandoned) || l.Abandoned() != 1 {
			t.Errorf("%d handlers are abandoned and full was called with %v, want 1 and ErrAbandoned", l.Abandoned(), context.Cause(full))
		}
		if l.memory.TryAcquire(1) {
			t.Error("the memory of the handler was released before it returned")
		}
		close(hang)
		synctest.Wait()
		if !l.memory.TryAcquire(l.shared) || l.Abandoned() != 0 {
			t.Error("the memory of the handler was not released after it returned")
		}
	})
}
