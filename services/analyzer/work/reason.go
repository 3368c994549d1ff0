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
		return fmt.Sprintf("the analysis took longer than %s in %d attempts", late.Limit, d.Attempt)
	case panicked:
		return fmt.Sprintf("the analysis crashed in %d attempts; this is a defect in Assay, not in the content", d.Attempt)
	}
	return fmt.Sprintf("the analysis did not succeed in %d attempts", d.Attempt)
}
