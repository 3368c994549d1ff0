package live

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/bus/tail"
	"github.com/assay-project/assay/pkg/web"
)

// reader is one open stream. Only its goroutine uses it, except for wake.
type reader struct {
	filter  Filter
	cursors []cursor // one for each source
	wake    chan struct{}
}

// cursor is the position of a reader in one source.
type cursor struct {
	*source
	group  *group
	after  uint64 // every selected event up to this sequence has been sent
	resets int    // number of resets of the ring when the position was last known to be in the stream
}

// begin returns a reader and the first event of its stream, for the positions of a resuming client,
// or for a new client if there are none. The caller must call leave.
func (h *Hub) begin(ctx context.Context, wanted Filter, positions []uint64) (*reader, web.Event, error) {
	r := &reader{filter: wanted, wake: make(chan struct{}, 1)}
	name, deadline := "ready", time.After(loadWait)
	for _, s := range h.sourcesOf(wanted) {
		select {
		case <-s.loaded:
		case <-deadline:
			return nil, web.Event{}, web.Unavailable("The event stream is unavailable.", retryAfter)
		case <-ctx.Done():
			return nil, web.Event{}, ctx.Err()
		}
		oldest, newest, resets := s.ring.bounds()
		c := cursor{source: s, after: newest, resets: resets}
		if s.stream != "" && len(positions) > 0 {
			after := positions[0]
			positions = positions[1:]
			held := after+1 >= oldest && after <= newest
			if !held {
				var err error
				if held, err = s.stored(ctx, after); err != nil {
					return nil, web.Event{}, web.Unavailable("The event stream is unavailable.", retryAfter).Because(err)
				}
			}
			if held {
				c.after = after
			} else {
				name = "resync"
				h.metrics.resyncs.Inc()
			}
		}
		r.cursors = append(r.cursors, c)
	}
	for i := range r.cursors {
		c := &r.cursors[i]
		c.group = c.ring.join(wanted.key(), r.wake)
	}
	return r, r.position(name), nil
}

func (r *reader) leave() {
	for _, c := range r.cursors {
		c.ring.leave(r.filter.key(), r.wake)
	}
}

// parse parses the id of an event: the position in each source with a stream, the outcomes first. An id from
// before a source was added has fewer positions, and an id of a stream with more sources has more.
func parse(id string) ([]uint64, error) {
	var positions []uint64
	for part := range strings.SplitSeq(id, "-") {
		at, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return nil, err
		}
		positions = append(positions, at)
	}
	return positions, nil
}

// id returns the id of an event of one of the cursors, or the id of the reader's position if
// the cursor is nil.
func (r *reader) id(of *cursor, sequence uint64) string {
	var id []byte
	for i := range r.cursors {
		c := &r.cursors[i]
		if c.stream == "" {
			continue
		}
		if len(id) > 0 {
			id = append(id, '-')
		}
		if c == of {
			id = strconv.AppendUint(id, sequence, 10)
		} else {
			id = strconv.AppendUint(id, c.after, 10)
		}
	}
	return string(id)
}

// stored reports whether the stream has every event after a position.
func (s *source) stored(ctx context.Context, after uint64) (bool, error) {
	if err := s.hub.turn(ctx); err != nil {
		return false, err
	}
	defer s.hub.endTurn()
	oldest, newest, err := tail.Bounds(ctx, s.hub.bus, s.stream)
	return after <= newest && after+1 >= oldest, err
}

// errBusy means that other readers use all turns.
var errBusy = errors.New("too many readers are reading from the stream")

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

// next returns the frames to send to r now. It returns the errors of Filter.Allowed and Filter.Check.
func (h *Hub) next(ctx context.Context, r *reader) (web.Batch, error) {
	var out web.Batch
	if r.filter.Allowed != nil {
		if err := r.filter.Allowed(ctx); err != nil {
			return out, err
		}
	}
	for i := range r.cursors {
		reached, err := h.advance(ctx, r, &r.cursors[i], &out)
		if err != nil {
			return web.Batch{}, err // the client resumes after the events that it has received
		}
		out.More = out.More || reached != current
	}
	out.Position = r.id(nil, 0)
	return out, nil
}

// advance adds the frames of one source to out.
func (h *Hub) advance(ctx context.Context, r *reader, c *cursor, out *web.Batch) (progress, error) {
	found, reached := c.ring.read(c, r.filter)
	var err error
	if reached == behind && c.stream == "" {
		oldest, _, _ := c.ring.bounds()
		c.after = oldest - 1 // newer signals replace the omitted ones
		return more, nil
	}
	if reached == behind {
		found, err = c.catchUp(ctx, r.filter)
	}
	switch {
	case reached == gone, errors.Is(err, tail.ErrGone):
		h.metrics.resyncs.Inc()
		_, c.after, c.resets = c.ring.bounds()
		out.Frames = append(out.Frames, frameOf(r.position("resync")))
		return more, nil
	case errors.Is(err, errBusy):
		return more, nil
	case err != nil:
		// The next heartbeat retries.
		h.log.Debug().Err(err).Msg("cannot read the stream for a live reader")
		return current, nil
	}
	for i := range found.entries {
		e := &found.entries[i]
		frame, err := r.filter.frame(ctx, e)
		if err != nil {
			return current, err
		}
		if len(frame) == 0 {
			continue
		}
		if c.stream != "" {
			out.Frames = append(out.Frames, []byte("id: "+r.id(c, e.sequence)+"\n"))
		}
		out.Frames = append(out.Frames, frame)
	}
	return reached, nil
}

// catchUp advances c by one turn of reading the stream, up to the start of the ring.
func (c *cursor) catchUp(ctx context.Context, f Filter) (out batch, err error) {
	if err := c.hub.turn(ctx); err != nil {
		return batch{}, err
	}
	defer c.hub.endTurn()
	// A client that disconnects must not leave a consumer behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
	defer cancel()
	from := c.after
	events, err := tail.Open(ctx, c.hub.bus, c.hub.log, c.stream, from)
	if err != nil {
		return batch{}, err
	}
	defer events.Close()
	oldest, _, _ := c.ring.bounds()
	for c.after+1 < oldest && c.after-from < turnEvents {
		d, err := events.Next()
		if err != nil && c.after > from {
			break // the next turn reads it again
		}
		if err != nil {
			return batch{}, err
		}
		e := c.read(d)
		if f.wants(&e) && !out.add(&e) {
			break
		}
		c.after = d.Sequence
	}
	return out, nil
}

// position returns an event that contains the id from which the client can resume.
func (r *reader) position(name string) web.Event {
	id := r.id(nil, 0)
	return web.Event{ID: id, Name: name, Data: []byte(`{"lastEventId":"` + id + `"}`)}
}

// frameOf returns the frame of an event whose id and name are trusted.
func frameOf(e web.Event) []byte {
	frame, _ := e.Frame()
	return frame
}
