package trace

import (
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

func minute(n int) time.Time { return time.Date(2026, 11, 29, 3, n, 0, 0, time.UTC) }

// TestUnrecordedAttemptIsListed checks that a first attempt without a record, and one whose worker crashed, are listed with the
// time before which they ended.
func TestUnrecordedAttemptIsListed(t *testing.T) {
	got := attemptsOf(bus.MessageAttempts{Consumer: "c", Sequence: 7, AttemptRecord: bus.AttemptRecord{Stored: minute(0), Begun: 3, Attempts: []bus.Attempt{
		{Number: 2, Began: minute(1), Worker: "w"}, {Number: 3, Began: minute(2), Worker: "w", Ended: minute(3), Outcome: "done"},
	}}})
	want := []traceAttempt{
		{Number: 1, Outcome: lost, EndedBefore: minute(1)},
		{Number: 2, Recorded: true, Began: minute(1), Worker: "w", Outcome: lost, EndedBefore: minute(2)},
		{Number: 3, Recorded: true, Began: minute(2), Worker: "w", Ended: minute(3), Outcome: "done"},
	}
	if len(got.Attempts) != len(want) {
		t.Fatalf("got %+v, want %+v", got.Attempts, want)
	}
	for i := range want {
		if got.Attempts[i] != want[i] {
			t.Errorf("attempt %d: got %+v, want %+v", i+1, got.Attempts[i], want[i])
		}
	}
}

// TestEndOfTheLastAttempt checks the outcome of an attempt whose end is not recorded: it is open while its message is stored.
func TestEndOfTheLastAttempt(t *testing.T) {
	for stored, want := range map[bool]string{true: open, false: unknown} {
		v := traceView{Attempts: []traceAttempts{attemptsOf(bus.MessageAttempts{Consumer: "c", Sequence: 7, AttemptRecord: bus.AttemptRecord{
			Begun: 1, Attempts: []bus.Attempt{{Number: 1, Began: minute(1)}},
		}})}}
		if stored {
			v.Messages = []traceMessage{{Sequence: 7, Consumer: "c"}, {Sequence: 8, Consumer: "c"}}
		}
		settle(&v)
		if got := v.Attempts[0].Attempts[0].Outcome; got != want {
			t.Errorf("message stored: %v; got outcome %s, want %s", stored, got, want)
		}
	}
}

// TestRecordOfAnEarlierVersion checks that the counts of a record without attempts are shown.
func TestRecordOfAnEarlierVersion(t *testing.T) {
	got := attemptsOf(bus.MessageAttempts{AttemptRecord: bus.AttemptRecord{Begun: 3, Unended: 2}})
	if got.Begun != 3 || got.Unended != 2 || len(got.Attempts) != 0 {
		t.Errorf("got %+v, want 3 attempts of which 2 did not end", got)
	}
}
