package e2e

import "testing"

type promises map[string]func(*testing.T, system)

// prove proves every promise that leaves the system running, regardless of
// how many programs it has.
func prove(t *testing.T, s system) {
	proveAll(t, s, promises{
		"both ways count right":       bothWaysCountRight,
		"many at once":                manyAtOnce,
		"bucket notice is enough":     bucketNoticeIsEnough,
		"notices are one event":       noticesAreOneEvent,
		"presigned terms hold":        presignedTermsHold,
		"used URL is spent":           usedURLIsSpent,
		"repeats find the first file": repeatsFindTheFirstFile,
		"other terms are refused":     otherTermsAreRefused,
		"other bytes are refused":     otherBytesAreRefused,
		"forms have one file":         formsHaveOneFile,
		"newest first":                newestFirst,
		"request ids are kept":        requestIDsAreKept,
		"wait holds the answer":       waitHoldsTheResponse,
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
		"names stay as given":         namesStayAsGiven,
		"feed items are analyzed":     feedItemsAreAnalyzed,
		"one source id is one item":   oneSourceIDIsOneItem,
		"items are of one submission": itemsAreOfOneSubmission,
		"unfinished is made good":     unfinishedItemsAreCompleted,
		"lost texts come back":        lostTextsAreReplaced,
		"duplicates add tags":         duplicatesAddTags,
		"batches tell each outcome":   batchesReportEachOutcome,
		"batches are streamed":        batchesAreStreamed,
		"tagged items are shown once": taggedItemsAreShownOnce,
		"feed mistakes are problems":  feedMistakesAreProblems,
		"photos are edited":           photosAreEdited,
		"photos are listed":           photosAreListed,
		"downloads follow the job":    downloadsFollowTheJob,
		"failed photos are retried":   failedPhotosAreRetried,
		"bad photos fail":             badPhotosFail,
		"photos are cancelled":        photosAreCancelled,
		"photos are deleted":          photosAreDeleted,
		"foreign photos are missing":  foreignPhotosAreNotFound,
		"repeats find the photo":      repeatsFindTheFirstPhoto,
		"batches end once":            batchesEndOnce,
		"large batches end":           largeBatchesEnd,
	})
}

// proveOneAddress proves the promises that need one address for all calls.
func proveOneAddress(t *testing.T, s system) {
	proveAll(t, s, promises{
		"mistakes are problems": mistakesAreProblems,
		"serves its documents":  servesItsDocuments,
		"page calls the API":    pageCallsTheAPI,
	})
}

func proveAll(t *testing.T, s system, all promises) {
	for name, promise := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			promise(t, s)
		})
	}
}
