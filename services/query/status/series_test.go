package status

import (
	"slices"
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
	past, _ := s.read(at(59))
	if len(past) != 60 || past[0] != (Minute{Accepted: 2, Completed: 1, Failed: 1}) || past[59] != (Minute{Accepted: 1, Completed: 1}) || past[30] != (Minute{}) {
		t.Errorf("after an hour: got first %+v, middle %+v, last %+v of %d minutes, want {Accepted:2 Completed:1 Failed:1}, {} and {Accepted:1 Completed:1} of 60",
			past[0], past[30], past[59], len(past))
	}
	if past, _ := s.read(at(60)); past[0] != (Minute{}) || past[58] != (Minute{Accepted: 1, Completed: 1}) {
		t.Errorf("a minute later: got first %+v, second to last %+v, want {} and {Accepted:1 Completed:1}", past[0], past[58])
	}
	for _, m := range history(s, at(1000)) {
		if m != (Minute{}) {
			t.Errorf("after a pause: got %+v, want an empty minute", m)
		}
	}
}

// TestAcceptedItemsAreThoseThatEndedOrWait checks the count of accepted items. The first sample is not counted, and an item
// that ends at the turn of a minute is counted once.
func TestAcceptedItemsAreThoseThatEndedOrWait(t *testing.T) {
	now := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return now.Add(time.Duration(second) * time.Second) }
	s := &series{}
	s.sample(5, at(0)) // of an earlier time
	s.sample(9, at(10))
	for range 4 {
		s.outcome("completed", at(20))
	}
	s.outcome("failed", at(59))
	s.sample(5, at(59)) // the last item has ended and is not acknowledged
	s.sample(4, at(61))
	s.sample(6, at(130))
	s.sample(5, at(131)) // an item was deleted
	want := []Minute{{Accepted: 4, Completed: 4, Failed: 1, Waiting: 9}, {Waiting: 4}, {Accepted: 1, Waiting: 6}}
	if got := history(s, at(140))[57:]; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func history(s *series, now time.Time) []Minute {
	past, _ := s.read(now)
	return past
}
