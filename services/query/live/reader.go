package live

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/assay-project/assay/pkg/bus/tail"
	"github.com/assay-project/assay/pkg/web"
)

// reader is one open stream. Except wake, only its goroutine uses it.
type reader struct {
	filter Filter
	group  *group
	cursor uint64 // every selected outcome up to this sequence has been sent
	resets int    // of the ring, when cursor was last in the stream
	wake   chan struct{}
}

// begin returns a reader and the first event of its stream, for the position of a
// resuming client or for a new client.
func (h *Hub) begin(ctx context.Context, wanted Filter, resumes bool, after uint64) (*reader, web.Event, error) {
	select {
	case <-h.loaded:
	case <-time.After(loadWait):
		return nil, web.Event{}, web.Unavailable("The outcome stream does not respond.", retryAfter)
	case <-ctx.Done():
		return nil, web.Event{}, ctx.Err()
	}
	oldest, newest, resets := h.ring.bounds()
	r := &reader{filter: wanted, cursor: newest, resets: resets, wake: make(chan struct{}, 1)}
	name := "ready"
	if resumes {
		held := after+1 >= oldest && after <= newest
		if !held {
			var err error
			if held, err = h.stored(ctx, after); err != nil {
				return nil, web.Event{}, web.Unavailable("The outcome stream does not respond.", retryAfter).Because(err)
			}
		}
		if held {
			r.cursor = after
		} else {
			name = "resync"
			h.metrics.resyncs.Inc()
		}
	}
	r.group = h.ring.join(wanted.key(), r.wake)
	return r, position(name, r.cursor), nil
}

// stored reports whether the stream has every outcome after a position.
func (h *Hub) stored(ctx context.Context, after uint64) (bool, error) {
	if err := h.turn(ctx); err != nil {
		return false, err
	}
	defer h.endTurn()
	oldest, newest, err := tail.Bounds(ctx, h.bus)
	return after <= newest && after+1 >= oldest, err
}

// errBusy means that other readers have all turns.
var errBusy = errors.New("too many readers read from the stream at once")

func (h *Hub) turn(ctx context.Context) error {
	wait := time.NewTimer(turnWait)
	defer wait.Stop()
	select {
	case h.turns <- struct{}{}:
		return nil
	case <-wait.C:
	case <-web.Draining(ctx):
	case <-ctx.Done():
	}
	return errBusy
}

func (h *Hub) endTurn() { <-h.turns }

// next returns the frames to send to r now.
func (h *Hub) next(ctx context.Context, r *reader) web.Batch {
	out, reached := h.ring.read(r)
	var err error
	if reached == behind {
		out, err = h.catchUp(ctx, r)
	}
	switch {
	case reached == gone, errors.Is(err, tail.ErrGone):
		return h.resync(r)
	case errors.Is(err, errBusy):
		reached = more
	case err != nil:
		// The next heartbeat retries.
		h.log.Debug().Err(err).Msg("cannot read the stream for a live reader")
		reached = current
	}
	return web.Batch{Frames: out.frames, More: reached != current, Position: strconv.FormatUint(r.cursor, 10)}
}

// catchUp advances r by one turn at the stream, up to the start of the ring.
func (h *Hub) catchUp(ctx context.Context, r *reader) (out batch, err error) {
	if err := h.turn(ctx); err != nil {
		return batch{}, err
	}
	defer h.endTurn()
	// A client that leaves must not leave a consumer behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
	defer cancel()
	from := r.cursor
	outcomes, err := tail.Open(ctx, h.bus, h.log, from)
	if err != nil {
		return batch{}, err
	}
	defer outcomes.Close()
	oldest, _, _ := h.ring.bounds()
	for r.cursor+1 < oldest && r.cursor-from < turnOutcomes {
		d, err := outcomes.Next()
		if err != nil && r.cursor > from {
			break // the next turn reads it again
		}
		if err != nil {
			return batch{}, err
		}
		e := h.newEntry(d)
		if r.filter.wants(&e) && !out.add(e.frame) {
			break
		}
		r.cursor = d.Sequence
	}
	return out, nil
}

// resync moves r to the newest outcome.
func (h *Hub) resync(r *reader) web.Batch {
	h.metrics.resyncs.Inc()
	_, r.cursor, r.resets = h.ring.bounds()
	at := position("resync", r.cursor)
	frame, err := at.Frame()
	if err != nil {
		h.log.Error().Err(err).Msg("cannot send resync to a live reader")
	}
	return web.Batch{Frames: [][]byte{frame}, More: true, Position: at.ID}
}

// position returns an event that gives the client the id to resume from.
func position(name string, at uint64) web.Event {
	id := strconv.FormatUint(at, 10)
	return web.Event{ID: id, Name: name, Data: []byte(`{"lastEventId":"` + id + `"}`)}
}
