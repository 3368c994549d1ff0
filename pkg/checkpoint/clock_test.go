//go:build clockstep

package checkpoint_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/checkpoint"
)

// TestSteppedClockDoesNotAffectLeases checks that after a step of the wall clock the holder keeps its log,
// and that the next holder is not delayed.
func TestSteppedClockDoesNotAffectLeases(t *testing.T) {
	const lease = 500 * time.Millisecond
	for _, d := range []time.Duration{-25 * time.Hour, -10 * time.Minute, 10 * time.Minute, 25 * time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			db, _ := open(t)
			first, second := process(db, lease), process(db, lease)
			l := mustAcquire(t, first, "a")
			if _, err := second.Acquire(t.Context(), "a"); err == nil {
				t.Fatal("another process: got no error, want a HeldError")
			}
			time.Step(d)
			t.Cleanup(func() { time.Step(-d) })
			if err := l.Save(t.Context(), at("1")); err != nil {
				t.Errorf("the holder: got error %v, want nil", err)
			}
			if _, err := second.Acquire(t.Context(), "a"); err == nil {
				t.Error("another process after the step: got no error, want a HeldError")
			}
			began := time.Now()
			next := mustAcquire(t, second, "a")
			if waited := time.Since(began); waited > 10*lease || next.Position() != at("1") {
				t.Errorf("the log was taken over after %s at %+v, want at most %s and position 1", waited, next.Position(), 10*lease)
			}
			if err := l.Renew(t.Context()); !errors.Is(err, checkpoint.ErrLost) {
				t.Errorf("the previous holder: got error %v, want ErrLost", err)
			}
		})
	}
}
