package work

import (
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
)

// endedError is the error of a message whose item has already failed.
type endedError struct {
	failure string // as stored in the item
}

func (e *endedError) Error() string { return "the item has failed: " + e.failure }

// hasFailed returns the error that ends the message of an item that has already failed. It becomes a dead letter again if
// the failure is a fault, because the worker that failed the item may have crashed before it stored the dead letter.
func hasFailed(failure string) error { return bus.Permanent(&endedError{failure}) }

// Explain returns the sentence that tells users why the work of a delivery failed. It never contains the text of an
// error that has no reason.Reason; the log of the attempt has that text.
func Explain(d bus.Delivery, cause error) string {
	late, isLate := errors.AsType[*attempt.TimeError](cause)
	_, panicked := errors.AsType[*attempt.PanicError](cause)
	lost, isLost := errors.AsType[*attempt.LostError](cause)
	ended, hasEnded := errors.AsType[*endedError](cause)
	switch {
	case hasEnded:
		return ended.failure
	case table.Rejected(cause):
		cause = reason.ResultRejected
	case reason.Stated(cause):
	case errors.Is(cause, event.ErrNewer):
		cause = reason.AnalysisNewer
	case isLate:
		cause = reason.AnalysisLate.Fill(late.Limit, attempt.Count(d.Attempt))
	case panicked:
		cause = reason.AnalysisCrashed.Fill(attempt.Count(d.Attempt))
	case isLost:
		cause = reason.AnalysisLost.Fill(attempt.Count(lost.Attempts))
	default:
		cause = reason.AnalysisFailed.Fill(attempt.Count(d.Attempt))
	}
	return reason.Of(cause)
}

// describe describes the failure of an item, with the sentence that it stores, for the message that caused it. A sentence
// about the content is an outcome without a dead letter. The number of attempts and, unless the sentence shows it, the class
// of a fault are those of the message.
func describe(failure string, at time.Time) bus.Failure {
	class := reason.Class(failure)
	if class == event.DeadOther {
		return bus.Failure{Reason: failure, At: at} // the error may say more
	}
	return bus.Failure{Rejected: class == "", Reason: failure, Class: class, At: at}
}
