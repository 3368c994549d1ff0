package e2e

import "testing"

// prove proves every promise that leaves the system running.
func prove(t *testing.T, s system) {
	for name, promise := range map[string]func(*testing.T, system){
		"both ways count right":       bothWaysCountRight,
		"many at once":                manyAtOnce,
		"bucket notice is enough":     bucketNoticeIsEnough,
		"notices are one event":       noticesAreOneEvent,
		"presigned terms hold":        presignedTermsHold,
		"used URL is spent":           usedURLIsSpent,
		"repeats find the first file": repeatsFindTheFirstFile,
		"other terms are refused":     otherTermsAreRefused,
		"timed keys keep order":       timedKeysKeepOrder,
		"mistakes are problems":       mistakesAreProblems,
		"request ids are kept":        requestIDsAreKept,
		"wait holds the answer":       waitHoldsTheAnswer,
		"lists are paged":             listsArePaged,
		"not text fails":              notTextFails,
		"unknown charset fails":       unknownCharsetFails,
		"only failures are retried":   onlyFailuresAreRetried,
		"delete removes all":          deleteRemovesAll,
		"deleted stays deleted":       deletedStaysDeleted,
		"items follow the seed":       itemsFollowTheSeed,
		"table follows the seed":      tableFollowsTheSeed,
		"live events resume":          liveEventsResume,
		"feed events resume":          feedEventsResume,
		"unknown positions resync":    unknownPositionsResync,
		"serves its documents":        servesItsDocuments,
		"page calls the API":          pageCallsTheAPI,
		"metrics are there":           metricsAreThere,
		"names stay as given":         namesStayAsGiven,
		"feed items are analyzed":     feedItemsAreAnalyzed,
		"one source id is one item":   oneSourceIDIsOneItem,
		"unfinished is made good":     unfinishedItemsAreMadeGood,
		"duplicates add tags":         duplicatesAddTags,
		"batches tell each outcome":   batchesTellEachOutcome,
		"tagged items are shown once": taggedItemsAreShownOnce,
		"feed mistakes are problems":  feedMistakesAreProblems,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			promise(t, s)
		})
	}
}
