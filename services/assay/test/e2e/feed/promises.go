// Package feed proves the promises of the feed: items, sources and the dashboard.
package feed

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"feed items are analyzed":        feedItemsAreAnalyzed,
		"other languages are neutral":    otherLanguagesAreNeutral,
		"similar items are marked":       similarItemsAreMarked,
		"folded tags are one":            foldedTagsAreOne,
		"one source id is one item":      oneSourceIDIsOneItem,
		"items match one submission":     itemsMatchOneSubmission,
		"unfinished items are completed": unfinishedItemsAreCompleted,
		"warnings are reported":          warningsAreReported,
		"lost texts are replaced":        lostTextsAreReplaced,
		"duplicates add tags":            duplicatesAddTags,
		"deleted items are gone":         deletedItemsAreGone,
		"deleted items can be posted":    deletedItemsCanBePostedAgain,
		"metadata keep all digits":       metadataKeepAllDigits,
		"random integers are kept":       randomIntegersKeepAllDigits,
		"batches report each outcome":    batchesReportEachOutcome,
		"batches are streamed":           batchesAreStreamed,
		"tagged items are shown once":    taggedItemsAreShownOnce,
		"invalid items are rejected":     invalidItemsAreRejected,
	}
}

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"rebuild repairs":                   rebuildRepairs,
		"outdated items are analyzed again": outdatedItemsAreAnalyzedAgain,
		"one poll at a time":                onePollAtATime,
	}
}
