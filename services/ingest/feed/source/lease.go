package source

import "time"

// leases decide whether another poll has lost its source: when this process has seen
// the same token of that poll for the duration of a lease, by its own monotonic clock.
// Wall clocks are not compared: those of two machines differ, and may be stepped. It
// is for one goroutine.
type leases struct {
	lease time.Duration
	seen  map[string]sighting // of polls of other processes, by source
}

// sighting records since when this process has seen a poll hold a source.
type sighting struct {
	holder string
	since  time.Time // has a monotonic clock reading
}

func newLeases(lease time.Duration) *leases {
	return &leases{lease: lease, seen: map[string]sighting{}}
}

// free reports whether no poll holds the source, or whether its poll has lost it.
func (l *leases) free(s *Source) bool {
	if s.State.Holder == "" {
		delete(l.seen, s.Name)
		return true
	}
	last := l.seen[s.Name]
	if last.holder != s.State.Holder {
		last = sighting{s.State.Holder, time.Now()}
		l.seen[s.Name] = last
	}
	return time.Since(last.since) >= l.lease
}
