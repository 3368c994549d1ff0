// Package operation proves what operators and clients in general rely on: settings, addresses, secrets, health, errors and the number of calls.
package operation

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises are those that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"request ids are kept": requestIDsAreKept,
	}
}

// PromisesOfOneAddress are those of a system that has one address for all calls.
func PromisesOfOneAddress() system.Promises {
	return system.Promises{
		"mistakes are problems": mistakesAreProblems,
		"serves its documents":  servesItsDocuments,
		"page calls the API":    pageCallsTheAPI,
	}
}
