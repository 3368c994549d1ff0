// Package deadletter lists, shows, replays and deletes messages that a consumer has given up on.
package deadletter

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

// Area is the part of an area's interface that replays use.
type Area interface {
	// Replay queues the item of a dead letter again. It checks the item first, so that a repeated
	// call has no effect; note then states the reason. For a message of another area, mine is false
	// and err is nil.
	Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error)
	// Describe returns the file name of the item of a dead letter of the area, or "" if it has none, and the path of
	// the call that reads the item. It reads only the dead letter.
	Describe(l bus.DeadLetter) (name, path string)
}

// Named is an area with its name and its work stream.
type Named struct {
	Area
	Name string
	Work bus.Work
}

// Service lists, replays and deletes the dead letters of all consumers.
type Service struct {
	bus   *bus.Bus
	areas []Named
}

// New returns the service for the dead letters of b. The areas replay and describe them.
func New(b *bus.Bus, areas []Named) *Service { return &Service{bus: b, areas: areas} }

// replay replays one dead letter, and deletes it once its message is stored. If the process dies in between, the dead
// letter remains, and another replay finds that its item is queued or has ended.
func (d *Service) replay(ctx context.Context, l bus.DeadLetter) (note string, err error) {
	if note, err := d.queue(bus.WithReplay(ctx, l.Sequence), l); note != "" || err != nil {
		return note, err
	}
	if err := d.bus.DropDead(ctx, l.Sequence); !errors.Is(err, bus.ErrNoDeadLetter) { // not by another replay
		return "", err
	}
	return "", nil
}

// queue queues the item of a dead letter again, or returns a note that states why not. A message that belongs to no area,
// such as a bucket notification, is published unchanged, because its handler checks the item.
func (d *Service) queue(ctx context.Context, l bus.DeadLetter) (note string, err error) {
	if l.Subject == "" {
		return "", errors.New("the dead letter does not contain the subject of its message")
	}
	for _, area := range d.areas {
		if mine, note, err := area.Replay(ctx, l); mine || err != nil {
			return note, err
		}
	}
	return "", d.bus.Replay(ctx, l)
}

// drop deletes one dead letter.
func (d *Service) drop(ctx context.Context, l bus.DeadLetter) (note string, err error) {
	err = d.bus.DropDead(ctx, l.Sequence)
	if errors.Is(err, bus.ErrNoDeadLetter) {
		return "it no longer exists", nil
	}
	return "", err
}

// bulkRequest selects dead letters and limits their processing.
type bulkRequest struct {
	filter bus.DeadFilter
	dryRun bool // only list the dead letters
	rate   int  // maximum dead letters per second
	max    int  // maximum number of dead letters
}

// bulkResult is the result of a bulk request for one dead letter.
type bulkResult struct {
	deadLetter bus.DeadLetter
	note       string
	err        error
}

// each calls do for the dead letters of a request, and continues after failures. more reports whether
// more dead letters follow. Dead letters added during the request are skipped, because an item that
// fails again immediately would be replayed endlessly.
func (d *Service) each(ctx context.Context, r bulkRequest, do func(context.Context, bus.DeadLetter) (string, error)) (all []bulkResult, more bool, err error) {
	pace := time.NewTicker(time.Second / time.Duration(r.rate))
	defer pace.Stop()
	for deadLetter, err := range d.bus.DeadLetters(ctx, r.filter) {
		if err != nil {
			return all, false, err
		}
		if len(all) == r.max {
			return all, true, nil
		}
		result := bulkResult{deadLetter: deadLetter}
		if !r.dryRun {
			select {
			case <-ctx.Done():
				return all, true, ctx.Err()
			case <-pace.C:
			}
			result.note, result.err = do(ctx, deadLetter)
		}
		all = append(all, result)
	}
	return all, false, nil
}
