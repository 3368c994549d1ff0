package trace

import (
	"context"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

// attempts reads the attempts at the messages of an item.
func (s *Service) attempts(ctx context.Context, id string) ([]traceAttempts, error) {
	records, err := s.bus.Attempts(ctx, id)
	var all []traceAttempts
	for _, r := range records {
		all = append(all, attemptsOf(r))
	}
	return all, err
}

// Outcomes of attempts in a trace, in addition to those of package consume.
const (
	lost    = "lost"    // ended without a result: the worker crashed or lost its connection
	unknown = "unknown" // the message is no longer stored, and the end of the attempt is not recorded
	open    = "open"    // has not ended, or its worker crashed since
)

// attemptsOf returns the attempts of a record, including a first one that is not recorded.
func attemptsOf(r bus.MessageAttempts) traceAttempts {
	v := traceAttempts{Consumer: r.Consumer, Sequence: r.Sequence, StoredAt: r.Stored.UTC(), Begun: r.Begun, Attempts: []traceAttempt{}}
	if len(r.Attempts) == 0 {
		v.Unended = r.Unended // of a record of an earlier version
		return v
	}
	first := r.Attempts[0]
	if first.Number > 1 && len(r.Attempts) < bus.MaxAttempts {
		v.Attempts = append(v.Attempts, traceAttempt{Number: first.Number - 1, Outcome: lost, EndedBefore: first.Began.UTC()})
	}
	for i, a := range r.Attempts {
		one := traceAttempt{Number: a.Number, Recorded: true, Began: a.Began.UTC(), Worker: a.Worker, Ended: a.Ended, Outcome: a.Outcome, Reason: a.Reason}
		switch {
		case a.Outcome != "":
		case i+1 < len(r.Attempts):
			one.Outcome, one.EndedBefore = lost, r.Attempts[i+1].Began.UTC()
		default:
			one.Outcome = open
		}
		v.Attempts = append(v.Attempts, one)
	}
	return v
}

// settle completes the view once all parts are read: an open attempt at a message that is no longer stored has ended.
func settle(v *traceView) {
	for i := range v.Attempts {
		of := &v.Attempts[i]
		stored := slices.ContainsFunc(v.Messages, func(m traceMessage) bool { return m.Sequence == of.Sequence && m.Consumer == of.Consumer })
		of.Stored = stored
		if n := len(of.Attempts) - 1; n >= 0 && of.Attempts[n].Outcome == open && !stored {
			of.Attempts[n].Outcome = unknown
		}
	}
	slices.SortStableFunc(v.Moments, func(a, b Moment) int { return a.At.Compare(b.At) })
}

func atMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
