// Package operation proves the promises to operators and to clients in general: settings, addresses, secrets,
// health, errors and the number of calls.
package operation

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"request ids are kept":   requestIDsAreKept,
		"operators see the work": operatorsSeeTheWork,
		"one rule for owners":    oneRuleForOwners,
		"items can be traced":    itemsCanBeTraced,
		"traces outlive items":   tracesOutliveItems,
		"commands for operators": commandsForOperators,
	}
}

// PromisesOfOneAddress returns the promises of a system with one address for all calls.
func PromisesOfOneAddress() system.Promises {
	return system.Promises{
		"rejected requests return problems": rejectedRequestsReturnProblems,
		"serves its documents":              servesItsDocuments,
		"describes its API":                 describesItsAPI,
		"page calls the API":                pageCallsTheAPI,
		"compresses JSON":                   compressesJSON,
	}
}
