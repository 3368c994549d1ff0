// Package uploads proves that every way to upload a text works as documented: terms, idempotency, names and notifications.
package uploads

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"both ways count right":        bothWaysCountRight,
		"many at once":                 manyAtOnce,
		"bucket notice is enough":      BucketNoticeIsEnough,
		"notices are one event":        NoticesAreOneEvent,
		"presigned terms hold":         presignedTermsHold,
		"used URL is spent":            usedURLIsSpent,
		"late bytes are removed":       lateBytesAreRemoved,
		"repeats find the first file":  repeatsFindTheFirstFile,
		"other terms are refused":      otherTermsAreRefused,
		"other bytes are refused":      otherBytesAreRefused,
		"forms have one file":          formsHaveOneFile,
		"parts are joined":             partsAreJoined,
		"wrong parts are refused":      wrongPartsAreRefused,
		"terms of parts hold":          partTermsHold,
		"deleted uploads end":          deletedUploadsEnd,
		"repeated reservations resume": repeatedReservationsResume,
		"newest first":                 newestFirst,
		"names stay as given":          namesStayAsGiven,
		"quotes stay in form names":    quotesStayInNamesOfForms,
	}
}
