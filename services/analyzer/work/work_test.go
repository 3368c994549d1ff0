package work

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
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
func (finishing) Creation(string) string                                      { return "" }
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

// replacing is an area whose item is deleted and created again while it is processed. The attempt at the deleted one fails.
type replacing struct {
	finishing
	item   string
	failed []string
}

func (r *replacing) Get(context.Context, string) (string, error)          { return r.item, nil }
func (r *replacing) Claim(context.Context, *bus.Delivery) (string, error) { return r.item, nil }
func (r *replacing) Creation(item string) string                          { return item }
func (r *replacing) Fail(_ context.Context, item string, _ Failure) (string, error) {
	r.failed = append(r.failed, item)
	return item, nil
}

func (r *replacing) Process(context.Context, *bus.Delivery, string) (int, error) {
	err := bus.Permanent(errors.New("the content of " + r.item + " no longer exists"))
	r.item = "second"
	return 0, err
}

// TestItemCreatedAgainDoesNotFail checks that the failure of an attempt at a deleted item does not fail the item that was created
// with its id since, whose own failure does.
func TestItemCreatedAgainDoesNotFail(t *testing.T) {
	world := bustest.Open(t)
	area := &replacing{item: "first"}
	h := handler[string, int]{worker: New(Config{}, world.Bus, prometheus.NewRegistry()), area: area}
	cause := h.handle(t.Context(), bus.Delivery{})
	if !bus.IsPermanent(cause) {
		t.Fatalf("the attempt returned %v, want a permanent error", cause)
	}
	if _, err := h.giveUp(t.Context(), bus.Delivery{}, cause); !errors.Is(err, errReplaced) || len(area.failed) > 0 {
		t.Errorf("the failure of the deleted item returned %v and failed %v, want %v and nothing failed", err, area.failed, errReplaced)
	}
	if _, err := h.giveUp(t.Context(), bus.Delivery{}, h.handle(t.Context(), bus.Delivery{})); errors.Is(err, errReplaced) || len(area.failed) != 1 {
		t.Errorf("its own failure returned %v and failed %v, want the second item to fail", err, area.failed)
	}
}

// TestOutcomesAreCounted checks that a failed item counts as rejected if its sentence is about the content, and that every
// series of an area exists from the start.
func TestOutcomesAreCounted(t *testing.T) {
	world, reg := bustest.Open(t), prometheus.NewRegistry()
	w := New(Config{}, world.Bus, reg, "textfile", "feed")
	failed := func(id, message string) event.Event {
		return event.NewAnalysisFailed(&event.AnalysisFailed{Area: "textfile", Id: id, ErrorMessage: message, FailedAt: timestamppb.New(bustest.When())})
	}
	for _, e := range []event.Event{
		bustest.Completed("f1"), failed("f2", "the file is empty"), failed("f3", "text: the document is damaged"), failed("f4", "the uploaded object no longer exists"),
	} {
		if err := w.Announce(t.Context(), "textfile", e); err != nil {
			t.Fatal(err)
		}
	}
	want := `
# HELP assay_analyses_total Items that reached a final state, by area and outcome (completed; rejected: the content cannot be processed; failed: because of a fault).
# TYPE assay_analyses_total counter
assay_analyses_total{area="feed",outcome="completed"} 0
assay_analyses_total{area="feed",outcome="failed"} 0
assay_analyses_total{area="feed",outcome="rejected"} 0
assay_analyses_total{area="textfile",outcome="completed"} 1
assay_analyses_total{area="textfile",outcome="failed"} 1
assay_analyses_total{area="textfile",outcome="rejected"} 2
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "assay_analyses_total"); err != nil {
		t.Error(err)
	}
}
