package status

import (
	"slices"
	"sync"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// failures contains the last failures of items, newest last. It is safe for concurrent use.
type failures struct {
	mu   sync.Mutex
	last []statusError
}

// failed records the failure of an item.
func (s *Service) failed(area string, d bus.Delivery) {
	failed := event.AnalysisFailed{}
	if err := event.Unmarshal(d.Data, &failed); err != nil {
		s.log.Debug().Err(err).Str("id", d.Item).Msg("cannot read a failure")
		return
	}
	at := d.Time
	if at.IsZero() {
		at = d.Stored
	}
	s.failures.add(statusError{At: at.UTC(), Kind: "failed", Area: area, ID: d.Item, Text: failed.ErrorMessage})
}

func (f *failures) add(e statusError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.last) == recentErrors {
		f.last = slices.Delete(f.last, 0, 1)
	}
	f.last = append(f.last, e)
}

// list returns a copy of the failures.
func (f *failures) list() []statusError {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]statusError{}, f.last...)
}
