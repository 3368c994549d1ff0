// Package identity proves that a server with ASSAY_AUTH=token shows and changes an owner's items for that owner
// only, and what others share with it, and that credentials end when they should.
package identity

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Scenarios returns the promises that need services of their own.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"every operation checks its caller": everyOperationChecksItsCaller,
		"sharing is real":                   sharingIsReal,
		"credentials end":                   credentialsEnd,
	}
}
