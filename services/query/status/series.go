package status

import (
	"sync"
	"time"
)

// minutes is the length of the history in minutes.
const minutes = 60

// Minute contains the items of an area in one minute.
type Minute struct {
	Accepted  uint64 `json:"accepted" example:"120" doc:"number of items that were queued: those that completed or failed, and the growth of the waiting ones"`
	Completed uint64 `json:"completed" example:"118"`
	Failed    uint64 `json:"failed"`
	Waiting   uint64 `json:"waiting" doc:"maximum number of items with work queued or in progress"`
}

// minute is what is counted in a minute.
type minute struct {
	completed, failed, waiting uint64
	growth                     int64 // of the waiting items
}

// series contains the last hour of an area, minute by minute. It is safe for concurrent use.
type series struct {
	mu      sync.Mutex
	past    [minutes]minute // minute m since the epoch is at index m modulo the length
	newest  int64           // newest minute, since the epoch
	waiting uint64          // at the last sample
	known   bool            // whether a sample exists
}

// at returns the minute of a time, or nil if it is not in the history. The caller must hold mu.
func (s *series) at(t time.Time) *minute {
	n := t.Unix() / 60
	if n <= s.newest-minutes {
		return nil
	}
	for s.newest < n {
		s.newest = max(s.newest+1, n-minutes+1)
		s.past[s.newest%minutes] = minute{}
	}
	return &s.past[n%minutes]
}

// outcome counts an outcome.
func (s *series) outcome(end string, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.at(t)
	switch {
	case m == nil:
	case end == "failed":
		m.failed++
	default:
		m.completed++
	}
}

// sample records the number of waiting items. Those of the first sample are not counted as accepted.
func (s *series) sample(waiting uint64, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.at(t)
	if m == nil {
		return
	}
	m.waiting = max(m.waiting, waiting)
	if s.known {
		m.growth += int64(waiting) - int64(s.waiting)
	}
	s.waiting, s.known = waiting, true
}

// read returns the last hour, the current minute last, and the number of waiting items at the last sample. In the sum over the hour, accepted items are those that completed,
// failed, or were added to the waiting ones. An outcome is stored before its work is acknowledged, so an item that ends
// at the turn of a minute reduces the waiting items a minute after it was counted as completed. read therefore deducts
// from the minutes before what one minute lacks.
func (s *series) read(now time.Time) (past []Minute, waiting uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(now)
	past = make([]Minute, minutes)
	var lacking int64
	for i := minutes - 1; i >= 0; i-- {
		m := s.past[(s.newest+1+int64(i))%minutes]
		accepted := int64(m.completed+m.failed) + m.growth + lacking
		lacking = min(accepted, 0)
		past[i] = Minute{Accepted: uint64(max(accepted, 0)), Completed: m.completed, Failed: m.failed, Waiting: m.waiting}
	}
	return past, s.waiting
}
