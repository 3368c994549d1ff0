// Package fair has errors of pkg/fair under their former path, until package admission imports that.
package fair

import "github.com/assay-project/assay/pkg/fair"

// The errors of admission.
var (
	ErrFull           = fair.ErrFull
	ErrTenantFull     = fair.ErrTenantFull
	ErrBacklogUnknown = fair.ErrBacklogUnknown
)
