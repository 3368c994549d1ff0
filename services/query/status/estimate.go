package status

import (
	"math"
	"sync"

	"github.com/assay-project/assay/pkg/bus"
)

// estimate estimates the items of a backlog that is too long to count them. It is safe for concurrent use.
type estimate struct {
	mu    sync.Mutex
	share float64 // items for each event at the last count; 0 if none was made
}

// items returns the number of items in a backlog. If they are not counted, the number of events for each item is assumed to
// be the same as at the last count, or one.
func (e *estimate) items(b bus.Backlog) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !b.Counted && e.share > 0:
		return uint64(math.Ceil(float64(b.Events) * e.share))
	case !b.Counted:
		return b.Events
	}
	if b.Items > 0 {
		e.share = float64(b.Items) / float64(b.Events)
	}
	return b.Items
}
