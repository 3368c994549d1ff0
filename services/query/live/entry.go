package live

import (
	"strconv"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// entry is an outcome as it is sent to every reader.
type entry struct {
	sequence        uint64
	owner, area, id string
	frame           []byte     // empty for an outcome that cannot be sent
	facet           func() any // nil for an area without
}

// entryCost approximates the memory of an entry without its frame, in bytes.
const entryCost = 200

// Tokens of assay.analysis.<end>.<area>.<id>.
const (
	endToken  = 2 // "completed" or "failed"
	areaToken = 3
	idToken   = 4
	tokens    = 5
)

func (h *Hub) newEntry(d bus.Delivery) entry {
	e := entry{sequence: d.Sequence, owner: d.Owner}
	subject := strings.SplitN(d.Subject, ".", tokens)
	if len(subject) < tokens {
		return e
	}
	e.area, e.id = subject[areaToken], subject[idToken]
	// A frame fails only for a name with a line break, which no reader selects.
	e.frame, _ = web.Event{ID: strconv.FormatUint(d.Sequence, 10), Name: subject[endToken], Data: d.Data}.Frame()
	if of := h.facets[e.area]; of != nil {
		e.facet = sync.OnceValue(func() any { return of(d.Data) })
	}
	return e
}

// Filter chooses the outcomes of one stream. The zero value chooses all.
type Filter struct {
	Owner string // of the items; empty for any
	Area  string // of the items; empty for any
	// Match chooses by the result of the function that was passed to FilterBy; nil for any.
	Match func(facet any) bool
}

func (f Filter) wants(e *entry) bool {
	return len(e.frame) > 0 && (f.Owner == "" || f.Owner == e.owner) && (f.Area == "" || f.Area == e.area) &&
		(f.Match == nil || e.facet != nil && f.Match(e.facet()))
}

// key names the group of readers that an outcome wakes together.
func (f Filter) key() groupKey { return groupKey{owner: f.Owner, area: f.Area} }
