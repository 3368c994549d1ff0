package live

import (
	"context"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// entry is an event in the form sent to every reader.
type entry struct {
	sequence        uint64
	owner, area, id string
	frame           []byte     // without an id; empty for an event that cannot be sent
	facet           func() any // nil for an area without one
}

// entryCost approximates the memory of an entry without its frame, in bytes.
const entryCost = 200

// Tokens of the subject assay.analysis.<end>.<area>.<id>.
const (
	endToken  = 2 // "completed" or "failed"
	areaToken = 3
	idToken   = 4
	tokens    = 5
)

// outcome returns the entry of an outcome.
func (h *Hub) outcome(d bus.Delivery) entry {
	e := entry{sequence: d.Sequence, owner: d.Owner}
	subject := strings.SplitN(d.Subject, ".", tokens)
	if len(subject) < tokens {
		return e
	}
	e.area, e.id = subject[areaToken], subject[idToken]
	// A frame fails only for a name with a line break, which no reader selects.
	e.frame, _ = web.Event{Name: subject[endToken], Data: d.Data}.Frame()
	if of := h.facets[e.area]; of != nil {
		e.facet = sync.OnceValue(func() any { return of(d.Data) })
	}
	return e
}

// Filter selects the events of one stream. The zero value selects all.
type Filter struct {
	Owner string // owner of the items; empty for any
	Area  string // id of the item; empty for any
	// Match selects by the facet of an event; nil for any.
	Match func(facet any) bool
	// Check, if not nil, decides about each selected event when it is sent, and may block. It returns
	// whether the event is sent, and a replacement for it, or nil for the event itself. Its error ends the
	// stream.
	Check func(ctx context.Context, facet any) (send bool, instead *web.Event, err error)
	// Allowed, if not nil, is called before events and heartbeats are sent. Its error ends the stream.
	Allowed func(ctx context.Context) error
}

func (f Filter) wants(e *entry) bool {
	return len(e.frame) > 0 && (f.Owner == "" || f.Owner == e.owner) && (f.Area == "" || f.Area == e.area) &&
		(f.Match == nil || e.facet != nil && f.Match(e.facet()))
}

// frame returns the frame to send for an event, nil for none.
func (f Filter) frame(ctx context.Context, e *entry) ([]byte, error) {
	if f.Check == nil {
		return e.frame, nil
	}
	var facet any
	if e.facet != nil {
		facet = e.facet()
	}
	send, instead, err := f.Check(ctx, facet)
	switch {
	case !send || err != nil:
		return nil, err
	case instead == nil:
		return e.frame, nil
	}
	return instead.Frame()
}

// key names the group of readers that an event wakes together.
func (f Filter) key() groupKey { return groupKey{owner: f.Owner, area: f.Area} }
