// Package live proves that live events resume without a gap.
package live

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"live events resume":       liveEventsResume,
		"feed events resume":       feedEventsResume,
		"unknown positions resync": unknownPositionsResync,
	}
}
