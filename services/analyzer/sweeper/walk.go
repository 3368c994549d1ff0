package sweeper

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// Items describes a swept table. I is an item.
type Items[I any] interface {
	// Scan reads a page of the table, in any order and with eventual consistency, and reports problems
	// that concern the page as a whole. next is the cursor of the next page, empty on the last
	// page. read is the number of items read.
	Scan(ctx context.Context, r *Run, cursor string) (items []I, next string, read int, err error)
	// ID returns the id of the item.
	ID(item I) string
	// Get reads an item by its id, with strong consistency. It returns lifecycle.ErrNotFound if there
	// is none.
	Get(ctx context.Context, id string) (I, error)
	// Ended reports whether the item is in a final state, and the reason if it failed.
	Ended(item I) (ended bool, failure string)
	// Outcome returns the event that announces a final state.
	Outcome(item I) (event.Event, error)
	// Changed returns the time of the item's last state change.
	Changed(item I) (time.Time, error)
	// Outstanding reports whether a message for the item is in the stream, so that a worker has it
	// or will receive it.
	Outstanding(ctx context.Context, item I) (bool, error)
	// Repair repairs an item that has no outstanding message.
	Repair(ctx context.Context, r *Run, item I) error
	// Recover restores other lost data of an item in a final state, such as its dead letter. It is
	// called only in runs with OutcomesSince.
	Recover(ctx context.Context, r *Run, item I, outcome event.Event) error
}

// checkReads is the number of reads for checking one item: its message, its row and its object.
const checkReads = 3

// Sweep walks over a table and its objects.
func Sweep[I any](ctx context.Context, r *Run, items Items[I], objects Objects) error {
	s := tableSweep[I]{run: r, items: items}
	return errors.Join(r.Walk(ctx, "rows", s.rows), WalkObjects(ctx, r, "objects", objects))
}

type tableSweep[I any] struct {
	run   *Run
	items Items[I]
}

// rows sweeps a page of the table.
func (s tableSweep[I]) rows(ctx context.Context, cursor string) (next string, read int, err error) {
	page, next, read, err := s.items.Scan(ctx, s.run, cursor)
	if err != nil {
		return "", 0, err
	}
	for _, item := range page {
		checked, err := s.row(ctx, item)
		if err != nil {
			return "", 0, err
		}
		if checked {
			read += checkReads
		}
	}
	return next, read, nil
}

// row decides whether a scanned item needs a check.
func (s tableSweep[I]) row(ctx context.Context, item I) (checked bool, err error) {
	if ended, _ := s.items.Ended(item); ended {
		return false, s.ended(ctx, item)
	}
	if young, err := s.young(item); err != nil || young {
		return false, err
	}
	return true, s.stuck(ctx, item)
}

// young reports whether a worker or a client may still be using the item.
func (s tableSweep[I]) young(item I) (bool, error) {
	changed, err := s.items.Changed(item)
	return err == nil && s.run.Young(changed), err
}

// ended publishes the outcome of an item again if the run has OutcomesSince and the outcome is not older.
func (s tableSweep[I]) ended(ctx context.Context, item I) error {
	if s.run.OutcomesSince.IsZero() {
		return nil
	}
	e, err := s.items.Outcome(item)
	if err != nil {
		s.run.Found(ctx, UnreadableItem, s.items.ID(item), func(context.Context) error { return err })
		return nil
	}
	if e.Time.Before(s.run.OutcomesSince) {
		return nil
	}
	s.run.Found(ctx, UnnotifiedOutcome, s.items.ID(item), func(ctx context.Context) error { return s.run.sweeper.bus.Republish(ctx, e) })
	return s.items.Recover(ctx, s.run, item, e)
}

// stuck checks an item that has been in one state for longer than a lease.
func (s tableSweep[I]) stuck(ctx context.Context, item I) error {
	// Check the message first: as long as there is one, a worker will process the item.
	if outstanding, err := s.items.Outstanding(ctx, item); err != nil || outstanding {
		return err
	}
	item, err := s.items.Get(ctx, s.items.ID(item))
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if ended, _ := s.items.Ended(item); ended {
		return nil
	}
	if young, err := s.young(item); err != nil || young {
		return err
	}
	return s.items.Repair(ctx, s.run, item)
}
