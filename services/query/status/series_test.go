package status

import (
	"testing"
	"time"
)

// TestSeriesIsTheLastHour checks that minutes without events are empty, including those after a pause, and
// that entries older than an hour are dropped.
func TestSeriesIsTheLastHour(t *testing.T) {
	start := time.Date(2026, 11, 24, 8, 0, 30, 0, time.UTC)
	at := func(minute int) time.Time { return start.Add(time.Duration(minute) * time.Minute) }
	s := &series{}
	s.outcome("completed", at(0))
	s.outcome("failed", at(0))
	s.outcome("completed", at(59))
	s.outcome("completed", at(-61)) // too old: no effect
	past := s.read(at(59))
	if len(past) != 60 || past[0] != (Minute{Completed: 1, Failed: 1}) || past[59] != (Minute{Completed: 1}) || past[30] != (Minute{}) {
		t.Errorf("after an hour: got first %+v, middle %+v, last %+v of %d minutes, want {Completed:1 Failed:1}, {} and {Completed:1} of 60",
			past[0], past[30], past[59], len(past))
	}
	if past := s.read(at(60)); past[0] != (Minute{}) || past[58] != (Minute{Completed: 1}) {
		t.Errorf("a minute later: got first %+v, second to last %+v, want {} and {Completed:1}", past[0], past[58])
	}
	for _, m := range s.read(at(1000)) {
		if m != (Minute{}) {
			t.Errorf("after a pause: got %+v, want an empty minute", m)
		}
	}
}

// TestAcceptedIsCountedFromSequences checks the count of accepted events, including after the stream is recreated and
// its sequences restart.
func TestAcceptedIsCountedFromSequences(t *testing.T) {
	now := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	s := &series{}
	for _, sample := range []struct{ waiting, stored uint64 }{{5, 100}, {9, 110}, {2, 115}, {1, 0}, {1, 7}} {
		s.sample(sample.waiting, sample.stored, now)
	}
	if got := s.read(now)[59]; got != (Minute{Accepted: 22, Waiting: 9}) {
		t.Errorf("got %+v, want 10+5+7 accepted and 9 waiting", got)
	}
}
