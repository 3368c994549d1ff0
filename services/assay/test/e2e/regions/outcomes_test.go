package regions

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// outcomes records the outcomes that a region publishes.
type outcomes struct {
	mu        sync.Mutex
	completed map[string]map[string]time.Time // first arrival by source id and event id
	failed    map[string]int                  // number of events by source id
}

// watch records the outcomes of a region from now on.
func watch(t *testing.T, r *region) *outcomes {
	t.Helper()
	o := &outcomes{completed: map[string]map[string]time.Time{}, failed: map[string]int{}}
	conn := r.Events(t)
	_, err := conn.Subscribe("assay.analysis.*.feed.>", func(m *nats.Msg) {
		o.mu.Lock()
		defer o.mu.Unlock()
		_, id, _ := strings.Cut(m.Subject, ".feed.")
		event := m.Header.Get("ce-id")
		switch {
		case !strings.HasPrefix(m.Subject, "assay.analysis.completed."):
			o.failed[id]++
		case o.completed[id] == nil:
			o.completed[id] = map[string]time.Time{event: time.Now()}
		case o.completed[id][event].IsZero():
			o.completed[id][event] = time.Now()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.FlushWithContext(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	return o
}

// of returns the number of different completed outcomes of an item.
func (o *outcomes) of(sourceID string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.completed[sourceID])
}

// first returns the time of the earliest completed outcome of any of the items, or the zero time.
func (o *outcomes) first(sourceIDs map[string]bool) (at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range sourceIDs {
		for _, arrived := range o.completed[id] {
			if at.IsZero() || arrived.Before(at) {
				at = arrived
			}
		}
	}
	return at
}
