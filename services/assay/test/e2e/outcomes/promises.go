// Package outcomes proves that every accepted text has exactly one outcome, which is stored, listed and deleted as
// documented.
package outcomes

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"wait holds the response":      WaitHoldsTheResponse,
		"lists are paged":              listsArePaged,
		"files that are not text fail": filesThatAreNotTextFail,
		"faults have dead letters":     faultsHaveDeadLetters,
		"charsets are found":           charsetsAreFound,
		"only failures are retried":    onlyFailuresAreRetried,
		"retries state a charset":      retriesStateACharset,
		"delete removes all":           DeleteRemovesAll,
		"deleted files stay deleted":   deletedFilesStayDeleted,
		"items follow the seed":        ItemsFollowTheSeed,
		"table follows the seed":       tableFollowsTheSeed,
	}
}
