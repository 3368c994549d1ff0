package identity

import (
	"sync"
	"time"
)

// recent caches values for some time. It contains at most maxRecent values and drops some when it is full.
type recent[K comparable, V any] struct {
	age time.Duration
	now func() time.Time

	mu      sync.Mutex
	entries map[K]remembered[V]
}

type remembered[V any] struct {
	value V
	until time.Time
}

func newRecent[K comparable, V any](age time.Duration, now func() time.Time) *recent[K, V] {
	return &recent[K, V]{age: age, now: now, entries: map[K]remembered[V]{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	entry, known := r.entries[key]
	return entry.value, known && now.Before(entry.until)
}

// put stores a value that was read at the given time. The value expires r.age after that time, or at limit if
// that is earlier; a zero limit is ignored.
func (r *recent[K, V]) put(key K, value V, read, limit time.Time) {
	until := read.Add(r.age)
	if !limit.IsZero() && limit.Before(until) {
		until = limit
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.entries) >= maxRecent {
		r.shrink()
	}
	r.entries[key] = remembered[V]{value, until}
}

// shrink removes expired values, and half of the others if that does not suffice.
func (r *recent[K, V]) shrink() {
	now := r.now()
	for key, entry := range r.entries {
		if !now.Before(entry.until) {
			delete(r.entries, key)
		}
	}
	for key := range r.entries {
		if len(r.entries) <= maxRecent/2 {
			break
		}
		delete(r.entries, key)
	}
}
