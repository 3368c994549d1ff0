package bus_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// An owner that floods does not take the last places: those are for others of whom
// little waits.
func TestFloodLeavesRoomForOthers(t *testing.T) {
	w := openAt(t, open(t).url, bus.Config{WorkMaxMessages: 100})
	for i := range 50 {
		w.publish(t, uploadedBy(fmt.Sprint("other", i/5), fmt.Sprint("o", i)))
	}
	for i := range 40 {
		w.publish(t, uploadedBy("flood", fmt.Sprint("f", i)))
	}
	eventually(t, func() error { // the last look may be half a second old
		if err := w.bus.Admit(t.Context(), "flood"); !errors.Is(err, bus.ErrFull) {
			return fmt.Errorf("the flood is admitted: %w", err)
		}
		return nil
	})
	if err := w.bus.Publish(t.Context(), uploadedBy("flood", "more")); !errors.Is(err, bus.ErrFull) {
		t.Errorf("the flood publishes: %v", err)
	}
	for i := range 9 {
		owner := fmt.Sprint("late", i)
		if err := w.bus.Admit(t.Context(), owner); err != nil {
			t.Error(err)
		}
		w.publish(t, uploadedBy(owner, owner))
	}
}

// A server that is away is said, not waited for by each caller.
func TestSilentServerIsSaid(t *testing.T) {
	url, stop, err := bustest.Serve(t.TempDir(), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := openAt(t, url, bus.Config{})
	stop()
	eventually(t, func() error {
		if err := w.bus.Admit(t.Context(), "ann"); !errors.Is(err, bus.ErrSilent) {
			return fmt.Errorf("it is admitted: %w", err)
		}
		return nil
	})
}
