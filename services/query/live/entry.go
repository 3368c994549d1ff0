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
	facet           func() any // nil if the area has no facets
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
	// Frame fails only if the name contains a line break. No reader selects such an event.
	e.frame, _ = web.Event{Name: subject[endToken], Data: d.Data}.Frame()
	if facetOf := h.facets[e.area]; facetOf != nil {
		e.facet = sync.OnceValue(func() any { return facetOf(d.Data) })
	}
	return e
}

// Filter selects the events of one stream. The zero value selects all.
type Filter struct {
	Owner string // owner of the items; empty for any
	Area  string // area of the items; empty for any
	// Match selects events by their facet; nil selects all.
	Match func(facet any) bool
	// Check, if not nil, is called before a selected event is sent, and may block. It reports whether to send
	// the event, and returns an event to send instead, or nil to send the event itself. An error ends the
	// stream.
	Check func(ctx context.Context, facet any) (send bool, instead *web.Event, err error)
	// Allowed, if not nil, is called before events and heartbeats are sent. An error ends the stream.
	Allowed func(ctx context.Context) error
}

func (f Filter) wants(e *entry) bool {
	return len(e.frame) > 0 && (f.Owner == "" || f.Owner == e.owner) && (f.Area == "" || f.Area == e.area) &&
		(f.Match == nil || e.facet != nil && f.Match(e.facet()))
}

// frame returns the frame to send for an event, or nil to send none.
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

// key returns the key of the group of readers that the filter belongs to.
func (f Filter) key() groupKey { return groupKey{owner: f.Owner, area: f.Area} }
