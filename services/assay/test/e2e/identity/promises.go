// Package identity proves that a server with ASSAY_AUTH=token gives callers access only to their own items and
// to items shared with them, and that it rejects credentials once they are revoked or rotated.
package identity

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"every operation checks its caller": everyOperationChecksItsCaller,
		"sharing is enforced":               sharingIsEnforced,
		"credentials are revoked":           credentialsAreRevoked,
	}
}
