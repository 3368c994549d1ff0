package work

import (
	"errors"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
)

// Explain returns the sentence that tells users why the work of a delivery failed. It never contains the text of an
// error that has no reason.Reason; the log of the attempt has that text.
func Explain(d bus.Delivery, cause error) string {
	late, isLate := errors.AsType[*attempt.TimeError](cause)
	_, panicked := errors.AsType[*attempt.PanicError](cause)
	lost, isLost := errors.AsType[*attempt.LostError](cause)
	switch {
	case table.Rejected(cause):
		cause = reason.ResultRejected
	case reason.Stated(cause):
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
