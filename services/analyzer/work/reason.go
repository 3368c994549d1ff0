package work

import (
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
)

// Explain returns a user-facing reason why the work of a delivery failed.
func Explain(d bus.Delivery, reason error) string {
	late, isLate := errors.AsType[*attempt.TimeError](reason)
	_, panicked := errors.AsType[*attempt.PanicError](reason)
	switch {
	case bus.IsPermanent(reason):
		return reason.Error()
	case isLate:
		return fmt.Sprintf("the analysis took longer than %s in %s", late.Limit, attempt.Count(d.Attempt))
	case panicked:
		return fmt.Sprintf("the analysis crashed in %s; this is a defect in Assay, not in the content", attempt.Count(d.Attempt))
	}
	return "the analysis did not succeed in " + attempt.Count(d.Attempt)
}
