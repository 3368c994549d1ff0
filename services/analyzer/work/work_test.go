package work

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// finishing is an area whose items are processed, and whose last write returns an error.
type finishing struct {
	err   error
	after error // of Get after the last write
}

func (f finishing) Get(context.Context, string) (string, error)               { return "pending", f.after }
func (finishing) Claim(context.Context, *bus.Delivery) (string, error)        { return "pending", nil }
func (finishing) Ended(string) (bool, string)                                 { return false, "" }
func (finishing) Outcome(string) (event.Event, error)                         { return event.Event{}, nil }
func (f finishing) Finish(context.Context, string, int) (string, error)       { return "", f.err }
func (finishing) Fail(context.Context, string, Failure) (string, error)       { return "failed", nil }
func (finishing) Process(context.Context, *bus.Delivery, string) (int, error) { return 0, nil }

// TestLastWrite checks how a delivery ends whose last write fails: a rejected result fails the item, with a reason for users. An
// item that was deleted and created again during the attempt is processed by the next delivery.
func TestLastWrite(t *testing.T) {
	handle := func(f finishing) error {
		return handler[string, int]{area: f}.handle(t.Context(), bus.Delivery{})
	}
	rejected := handle(finishing{err: tabletest.Rejected()})
	if reason := Explain(bus.Delivery{}, rejected); !bus.IsPermanent(rejected) || !strings.HasPrefix(reason, "the result cannot be stored") {
		t.Errorf("a rejected result: got %v, explained as %q, want a permanent error", rejected, reason)
	}
	other := errors.New("no connection")
	if err := handle(finishing{err: other}); !errors.Is(err, other) || bus.IsPermanent(err) {
		t.Errorf("another error: got %v, want the same error, which is not permanent", err)
	}
	if err := handle(finishing{err: lifecycle.ErrNotFound, after: lifecycle.ErrNotFound}); err != nil {
		t.Errorf("a deleted item: got %v, want no error", err)
	}
	if _, later := bus.Delay(handle(finishing{err: lifecycle.ErrNotFound})); !later {
		t.Error("an item that was created again: got no delay, want the next delivery at once")
	}
}
