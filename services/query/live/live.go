// Package live sends outcomes to browsers and other clients as they happen.
//
// One tail of the stream of outcomes feeds a ring of the newest ones, from which
// every reader of the process is served. A reader whose position the ring no
// longer holds is served from the stream, in short turns of which a few run at a
// time. Neither waits for a slow reader.
package live

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// Config is the settings of live events.
type Config struct {
	Readers   int `env:"ASSAY_LIVE_READERS" envDefault:"10000" doc:"how many live event streams may be open at once"`
	PerClient int `env:"ASSAY_LIVE_READERS_PER_CLIENT" envDefault:"1000" doc:"how many of them one client address may have; the clients of a proxy share its address"`
}

// Bounds of one process.
const (
	ringEntries = 8192
	ringBytes   = 8 << 20
	// turns is how many readers are served from the stream at a time, each for
	// turnTime or turnOutcomes at most. A reader that waited turnWait for a turn
	// gets a heartbeat before it waits again.
	turns        = 8
	turnTime     = 2 * time.Second
	turnOutcomes = 5000
	turnWait     = 5 * time.Second
	// loadWait is how long the first requests of a process wait for the ring.
	loadWait = 3 * time.Second
)

// Options are what live events need.
type Options struct {
	Bus      *bus.Bus
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Events serves streams of live events. Run must be running.
type Events struct {
	bus     *bus.Bus
	log     zerolog.Logger
	metrics metrics
	ring    *ring
	loaded  chan struct{} // closed once the ring has seen the newest outcome
	load    func()
	turns   chan struct{}
	places  *places
	outage  outage
}

// New makes no request yet.
func New(cfg Config, o Options) *Events {
	l := &Events{
		bus: o.Bus, log: o.Log, metrics: newMetrics(o.Registry),
		ring: newRing(ringEntries, ringBytes), loaded: make(chan struct{}), turns: make(chan struct{}, turns),
		places: &places{most: cfg.Readers, perClient: cfg.PerClient, clients: map[string]int{}},
		outage: outage{since: time.Now(), cause: errStarting},
	}
	l.load = sync.OnceFunc(func() { close(l.loaded) })
	return l
}

// begin makes a reader and the first event of its stream, for the position of a
// client that resumes or for a new client.
func (l *Events) begin(ctx context.Context, wanted filter, resumes bool, after uint64) (*reader, web.Event, error) {
	select {
	case <-l.loaded:
	case <-time.After(loadWait):
		return nil, web.Event{}, web.Unavailable("The stream of outcomes does not answer.", retryAfter)
	case <-ctx.Done():
		return nil, web.Event{}, ctx.Err()
	}
	oldest, newest, resets := l.ring.bounds()
	r := &reader{filter: wanted, cursor: newest, resets: resets, wake: make(chan struct{}, 1)}
	name := "ready"
	if resumes {
		held := after+1 >= oldest && after <= newest
		if !held {
			var err error
			if held, err = l.stored(ctx, after); err != nil {
				return nil, web.Event{}, web.Unavailable("The stream of outcomes does not answer.", retryAfter).Because(err)
			}
		}
		if held {
			r.cursor = after
		} else {
			name = "resync"
			l.metrics.resyncs.Inc()
		}
	}
	l.ring.join(r)
	return r, position(name, r.cursor), nil
}

// stored reports whether the stream holds every outcome after a position.
func (l *Events) stored(ctx context.Context, after uint64) (bool, error) {
	if err := l.turn(ctx); err != nil {
		return false, err
	}
	defer l.endTurn()
	oldest, newest, err := l.bus.OutcomeBounds(ctx)
	return after <= newest && after+1 >= oldest, err
}

// errBusy says that other readers have all turns.
var errBusy = errors.New("too many readers are served from the stream at once")

func (l *Events) turn(ctx context.Context) error {
	wait := time.NewTimer(turnWait)
	defer wait.Stop()
	select {
	case l.turns <- struct{}{}:
		return nil
	case <-wait.C:
	case <-web.Draining(ctx):
	case <-ctx.Done():
	}
	return errBusy
}

func (l *Events) endTurn() { <-l.turns }

// next returns what r is to be sent now.
func (l *Events) next(ctx context.Context, r *reader) web.Batch {
	out, reached := l.ring.read(r)
	var err error
	if reached == behind {
		out, err = l.catchUp(ctx, r)
	}
	switch {
	case reached == gone, errors.Is(err, bus.ErrGone):
		return l.resync(r)
	case errors.Is(err, errBusy):
		reached = more
	case err != nil:
		// The next heartbeat tries again.
		l.log.Debug().Err(err).Msg("cannot serve a live reader from the stream")
		reached = current
	}
	return web.Batch{Frames: out.frames, More: reached != current, Position: strconv.FormatUint(r.cursor, 10)}
}

// catchUp moves r on by one turn at the stream, up to what the ring holds.
func (l *Events) catchUp(ctx context.Context, r *reader) (out batch, err error) {
	if err := l.turn(ctx); err != nil {
		return batch{}, err
	}
	defer l.endTurn()
	// A client that leaves must not leave a consumer behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
	defer cancel()
	from := r.cursor
	tail, err := l.bus.Tail(ctx, from)
	if err != nil {
		return batch{}, err
	}
	defer tail.Close()
	oldest, _, _ := l.ring.bounds()
	for r.cursor+1 < oldest && r.cursor-from < turnOutcomes {
		d, err := tail.Next()
		if err != nil && r.cursor > from {
			break // the next turn finds it again
		}
		if err != nil {
			return batch{}, err
		}
		e := newEntry(d)
		if r.filter.wants(&e) && !out.add(e.frame) {
			break
		}
		r.cursor = d.Sequence
	}
	return out, nil
}

// resync moves r to the newest outcome.
func (l *Events) resync(r *reader) web.Batch {
	l.metrics.resyncs.Inc()
	_, r.cursor, r.resets = l.ring.bounds()
	at := position("resync", r.cursor)
	frame, err := at.Frame()
	if err != nil {
		l.log.Error().Err(err).Msg("cannot tell a live reader that it missed events")
	}
	return web.Batch{Frames: [][]byte{frame}, More: true, Position: at.ID}
}

// position is an event that gives the client the id to resume from.
func position(name string, at uint64) web.Event {
	id := strconv.FormatUint(at, 10)
	return web.Event{ID: id, Name: name, Data: []byte(`{"lastEventId":"` + id + `"}`)}
}
