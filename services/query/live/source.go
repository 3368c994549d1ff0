package live

import (
	"context"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// Source is a sequence of events of an area in addition to the outcomes. Streams that select the area, or
// any area, contain them.
type Source struct {
	Area        string
	Description string // of the events, for the API documentation of the owners' streams
	// Stream stores the events, so that readers can resume. Without a stream the events are signals:
	// a reader receives only those that arrive while it is connected.
	Stream, Subjects string
	// Event parses an event. ok is false for an event that is not sent to readers.
	Event func(bus.Delivery) (e Event, ok bool)
}

// Event is an event of a Source.
type Event struct {
	web.Event        // without an id
	Item      string // id of the item
	Facet     any    // passed to filters
}

// source is a Source, or the outcomes, with its state in this process.
type source struct {
	hub          *Hub
	area, stream string // without a stream the events are signals
	subjects     string
	read         func(bus.Delivery) entry
	ring         *ring
	loaded       chan struct{} // closed once the ring has the newest event
	load         func()        // closes loaded
	outage       outage
	seen         func(bus.Delivery) // may be nil
	seenTo       uint64             // sequence of the last event passed to seen
}

func (h *Hub) newSource(area, stream, subjects string, entries int, read func(bus.Delivery) entry) *source {
	s := &source{
		hub: h, area: area, stream: stream, subjects: subjects, read: read, ring: newRing(entries, ringBytes),
		loaded: make(chan struct{}), outage: outage{since: time.Now(), cause: errStarting},
	}
	s.load = sync.OnceFunc(func() { close(s.loaded) })
	return s
}

// Follow adds a source. It must be called before Run and before routes are registered.
func (h *Hub) Follow(from Source) {
	entries := ringEntries
	if from.Stream == "" {
		entries = ringSignals
	}
	h.sources = append(h.sources, h.newSource(from.Area, from.Stream, from.Subjects, entries, func(d bus.Delivery) entry {
		e := entry{sequence: d.Sequence, owner: d.Owner, area: from.Area}
		if found, ok := from.Event(d); ok {
			e.id, e.facet = found.Item, func() any { return found.Facet }
			e.frame, _ = found.Frame() // see outcome
		}
		return e
	}))
	h.description += " " + from.Description
}

// sourcesOf returns the sources whose events a stream contains.
func (h *Hub) sourcesOf(f Filter) []*source {
	var found []*source
	for _, s := range h.sources {
		if s.area == "" || f.Area == "" || s.area == f.Area {
			found = append(found, s)
		}
	}
	return found
}

// listen numbers signals and adds them to the ring until ctx is done.
func (s *source) listen(ctx context.Context) error {
	s.following()
	s.load()
	return s.hub.bus.Listen(ctx, s.subjects, func(d bus.Delivery) {
		_, newest, _ := s.ring.bounds()
		d.Sequence = newest + 1
		s.ring.add(s.read(d))
	})
}
