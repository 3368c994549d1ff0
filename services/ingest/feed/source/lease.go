package source

import "time"

// leases detects expired leases of polls: a lease has expired if this process has seen the same
// token for the duration of a lease, by its monotonic clock. Wall clocks are not compared, because
// they differ between machines and can be stepped. leases is not safe for concurrent use.
type leases struct {
	lease time.Duration
	seen  map[string]sighting // polls of other processes, by source
}

// sighting records when this process first saw that a poll holds a source.
type sighting struct {
	holder string
	since  time.Time // has a monotonic clock reading
}

func newLeases(lease time.Duration) *leases {
	return &leases{lease: lease, seen: map[string]sighting{}}
}

// free reports whether no poll holds the source, or the lease of the poll that holds it has expired.
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
