// Package work processes an item from its work event to its outcome: claim,
// process, finish or fail, publish the outcome. The steps are the same in every
// area; an Area supplies the differences.
//
// A delivery may be repeated, or arrive while another worker is processing the item. Every step is
// therefore a conditional write or an event with a deterministic id, and the table determines which
// steps remain.
package work

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
)

// Area defines how an area processes its items. I is an item, R the result of its processing. The
// methods must be safe for concurrent use.
type Area[I, R any] interface {
	// Get reads an item by the id in its events. It returns lifecycle.ErrNotFound if there is
	// none.
	Get(ctx context.Context, id string) (I, error)
	// Claim claims the item of a delivery for this worker. It returns an item in a final state
	// unchanged. It returns a permanent error for an event that cannot be decoded, and the errors
	// of a move.
	Claim(ctx context.Context, d *bus.Delivery) (I, error)
	// Process processes a claimed item. It returns a permanent error if no further attempt can
	// succeed, and the errors of any moves it makes.
	Process(ctx context.Context, d *bus.Delivery, item I) (R, error)
	// Finish records the result and the final state. It returns the item as written, or the errors
	// of a move.
	Finish(ctx context.Context, item I, result R) (I, error)
	// Fail records that the item failed, with the reason. It returns the item as written, or the
	// errors of a move.
	Fail(ctx context.Context, item I, f Failure) (I, error)
	// Ended reports whether the item is in a final state, and the reason if it failed.
	Ended(item I) (ended bool, failure string)
	// Creation identifies the creation of an item. It differs for an item that was deleted and created again with its id.
	Creation(item I) string
	// Outcome returns the event that announces a final state. The event id is derived from that
	// state, so that the stream drops duplicates.
	Outcome(item I) (event.Event, error)
}

// Failure is the reason why an item failed.
type Failure struct {
	Reason   string // user-facing
	Cause    error
	Attempts int
}

// Worker is shared by the consumers of one process.
type Worker struct {
	Config Config
	bus    *bus.Bus
	ended  *prometheus.CounterVec
}

// Outcomes of items in assay_analyses_total.
const (
	outcomeCompleted = "completed"
	outcomeRejected  = "rejected" // the content cannot be processed
	outcomeFailed    = "failed"   // because of a fault
)

// New returns a Worker that counts the outcomes of the named areas in reg.
func New(cfg Config, b *bus.Bus, reg prometheus.Registerer, areas ...string) *Worker {
	w := &Worker{Config: cfg, bus: b, ended: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "assay_analyses_total", Help: "Items that reached a final state, by area and outcome (completed; rejected: the content cannot be processed; failed: because of a fault).",
	}, []string{"area", "outcome"})}
	for _, area := range areas {
		for _, outcome := range []string{outcomeCompleted, outcomeRejected, outcomeFailed} {
			w.ended.WithLabelValues(area, outcome)
		}
	}
	return w
}

// Announce publishes the outcome of an item of the named area, and counts it.
func (w *Worker) Announce(ctx context.Context, area string, outcome event.Event) error {
	label := outcomeCompleted
	if e, failed := outcome.Data.(*event.AnalysisFailed); failed {
		label = outcomeRejected
		if reason.Fault(e.ErrorMessage) {
			label = outcomeFailed
		}
	}
	w.ended.WithLabelValues(area, label).Inc()
	return w.bus.Publish(ctx, outcome)
}

// Consumer returns c, which specifies the name, stream and bounds of the consumer, completed with
// the settings of the Worker and with handlers that process items of the area.
func Consumer[I, R any](w *Worker, c bus.Consumer, area Area[I, R]) bus.Consumer {
	h := handler[I, R]{worker: w, name: c.Area, area: area}
	c.Share = Share(w.Config.Parallel)
	c.Parallel, c.Lease, c.Attempts, c.Drain = w.Config.Parallel, w.Config.Lease, w.Config.Attempts, w.Config.Drain
	c.Handle, c.GiveUp = h.handle, h.giveUp
	return c
}

// Share returns the number of items of one owner that a consumer processes concurrently. The other places, if there are
// at least four in total, remain for other owners.
func Share(parallel int) int {
	if parallel < 4 {
		return parallel
	}
	return parallel - max(1, parallel/8)
}

type handler[I, R any] struct {
	worker *Worker
	name   string
	area   Area[I, R]
}

// handle processes one item and publishes its outcome. A result that a table rejects fails the item: another attempt
// has the same result.
func (h handler[I, R]) handle(ctx context.Context, d bus.Delivery) error {
	err := h.process(ctx, d)
	if table.Rejected(err) {
		return bus.Permanent(err)
	}
	return err
}

func (h handler[I, R]) process(ctx context.Context, d bus.Delivery) error {
	item, err := step(ctx, "claim", func(ctx context.Context) (I, error) { return h.area.Claim(ctx, &d) })
	if err != nil {
		return h.notMoved(ctx, d, err)
	}
	if ended, _ := h.area.Ended(item); ended {
		return h.conclude(ctx, item)
	}
	result, err := step(ctx, "process", func(ctx context.Context) (R, error) { return h.area.Process(ctx, &d, item) })
	if err != nil {
		return h.notMoved(ctx, d, &attemptError{h.area.Creation(item), err})
	}
	if item, err = step(ctx, "finish", func(ctx context.Context) (I, error) { return h.area.Finish(ctx, item, result) }); err != nil {
		return h.notMoved(ctx, d, err)
	}
	return h.announce(ctx, item)
}

// step calls a step of an attempt in a span.
func step[T any](ctx context.Context, name string, do func(context.Context) (T, error)) (T, error) {
	ctx, span := obs.Start(ctx, name)
	result, err := do(ctx)
	obs.End(span, err)
	return result, err
}

// notMoved decides how to continue after a move whose condition failed. Another worker may have
// made the move, or this one may have made it and lost the response: the item shows which.
func (h handler[I, R]) notMoved(ctx context.Context, d bus.Delivery, err error) error {
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	deleted := errors.Is(err, lifecycle.ErrNotFound)
	if !deleted && !moved && !errors.Is(err, lifecycle.ErrFenceLost) {
		return err
	}
	item, err := h.area.Get(ctx, d.Item)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if ended, _ := h.area.Ended(item); ended {
		return h.conclude(ctx, item)
	}
	if deleted { // and created again, which may have published no event because of this delivery
		return bus.Later(errReplaced, 0)
	}
	return bus.ErrTakenOver
}

var errReplaced = errors.New("the item was deleted and created again during the attempt")

// attemptError is the error of an attempt to process the item with a creation, for which no other item fails.
type attemptError struct {
	creation string
	err      error
}

func (e *attemptError) Error() string { return e.err.Error() }
func (e *attemptError) Unwrap() error { return e.err }

// conclude ends the delivery of an item that is already in a final state.
func (h handler[I, R]) conclude(ctx context.Context, item I) error {
	if _, failure := h.area.Ended(item); failure != "" {
		return hasFailed(failure)
	}
	return h.republish(ctx, item)
}

// giveUp fails an item and publishes the outcome. It returns the failure as the item stores it. The message of an item
// that has ended in another way needs no dead letter.
func (h handler[I, R]) giveUp(ctx context.Context, d bus.Delivery, cause error) (bus.Failure, error) {
	deleted := describe(Explain(d, cause), time.Time{})
	item, err := h.area.Get(ctx, d.Item)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return deleted, nil
	}
	if err != nil {
		return bus.Failure{}, err
	}
	ended, failure := h.area.Ended(item)
	if !ended {
		if attempt, is := errors.AsType[*attemptError](cause); is && attempt.creation != h.area.Creation(item) {
			return bus.Failure{}, errReplaced // the next delivery processes the item that was created again
		}
		failure = Explain(d, cause)
		item, err = h.area.Fail(ctx, item, Failure{failure, cause, d.Attempt})
		if errors.Is(err, lifecycle.ErrNotFound) {
			return deleted, nil
		}
		if err != nil {
			return bus.Failure{}, err
		}
	}
	e, err := h.area.Outcome(item)
	if err != nil {
		return bus.Failure{}, err
	}
	f := describe(failure, e.Time)
	f.Rejected = f.Rejected || failure == "" // completed or canceled concurrently
	if ended {
		return f, h.worker.bus.Republish(ctx, e)
	}
	return f, h.worker.Announce(ctx, h.name, e)
}

// announce publishes the outcome of an item that has just reached a final state.
func (h handler[I, R]) announce(ctx context.Context, item I) error {
	e, err := h.area.Outcome(item)
	if err != nil {
		return err
	}
	return h.worker.Announce(ctx, h.name, e)
}

// republish publishes an outcome that may have been published before.
func (h handler[I, R]) republish(ctx context.Context, item I) error {
	e, err := h.area.Outcome(item)
	if err != nil {
		return err
	}
	return h.worker.bus.Republish(ctx, e)
}
