package status

import (
	"sync"
	"time"
)

// minutes is the length of the history in minutes.
const minutes = 60

// Minute contains the events of an area in one minute.
type Minute struct {
	Accepted  uint64 `json:"accepted" doc:"number of work events that were queued"`
	Completed uint64 `json:"completed" example:"118"`
	Failed    uint64 `json:"failed"`
	Waiting   uint64 `json:"waiting" doc:"maximum number of work events queued or in progress"`
}

// series contains the last hour of an area, minute by minute. It is safe for concurrent use.
type series struct {
	mu     sync.Mutex
	past   [minutes]Minute // minute m since the epoch is at index m modulo the length
	newest int64           // newest minute, since the epoch
	stored uint64          // sequence of the newest work event at the last sample
	known  bool            // whether a sample exists
}

// at returns the minute of a time, or nil if it is not in the history. The caller must hold mu.
func (s *series) at(t time.Time) *Minute {
	minute := t.Unix() / 60
	if minute <= s.newest-minutes {
		return nil
	}
	for s.newest < minute {
		s.newest = max(s.newest+1, minute-minutes+1)
		s.past[s.newest%minutes] = Minute{}
	}
	return &s.past[minute%minutes]
}

// outcome counts an outcome.
func (s *series) outcome(end string, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.at(t)
	switch {
	case m == nil:
	case end == "failed":
		m.Failed++
	default:
		m.Completed++
	}
}

// sample records the state of the work stream: its backlog and the sequence of its newest event.
func (s *series) sample(waiting, stored uint64, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.at(t)
	if m == nil {
		return
	}
	m.Waiting = max(m.Waiting, waiting)
	if s.known && stored > s.stored { // stored is lower if the stream was recreated
		m.Accepted += stored - s.stored
	}
	s.stored, s.known = stored, true
}

// read returns the last hour, the current minute last.
func (s *series) read(now time.Time) []Minute {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(now)
	all := make([]Minute, minutes)
	for i := range all {
		all[i] = s.past[(s.newest+1+int64(i))%minutes]
	}
	return all
}
