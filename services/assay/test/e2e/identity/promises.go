// Package identity proves that a server with ASSAY_AUTH=token gives callers access only to their own items and
// to items shared with them, and that it rejects credentials once they are revoked or rotated.
package identity

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises that need their own services, for the operations of the areas.
func Scenarios(areas []Area) system.Scenarios {
	with := func(prove func(*testing.T, *world)) func(*testing.T, system.Starter) {
		return func(t *testing.T, start system.Starter) {
			w := open(t, start, areas)
			w.fill(t)
			prove(t, w)
		}
	}
	return system.Scenarios{
		"every operation checks its caller": with(everyOperationChecksItsCaller),
		"sharing is enforced":               with(sharingIsEnforced),
		"credentials are revoked":           with(credentialsAreRevoked),
	}
}
