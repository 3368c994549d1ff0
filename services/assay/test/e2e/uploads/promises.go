// Package uploads proves that every way to upload a text works as documented: signed requests, idempotency, names and
// notifications.
package uploads

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"both kinds of upload count correctly": bothWaysCountCorrectly,
		"many concurrent uploads":              manyConcurrentUploads,
		"bucket notification is enough":        BucketNoticeIsEnough,
		"notifications are one event":          NoticesAreOneEvent,
		"presigned terms hold":                 presignedTermsHold,
		"a used URL is rejected":               usedURLIsRejected,
		"encodings have no effect":             encodingsHaveNoEffect,
		"late bytes are removed":               lateBytesAreRemoved,
		"repeated calls return the first file": repeatsFindTheFirstFile,
		"other parameters are rejected":        otherTermsAreRejected,
		"other bytes are rejected":             otherBytesAreRejected,
		"forms have one file":                  formsHaveOneFile,
		"parts are joined":                     partsAreJoined,
		"wrong parts are rejected":             wrongPartsAreRejected,
		"terms of parts hold":                  partTermsHold,
		"deleted uploads end":                  deletedUploadsEnd,
		"repeated reservations resume":         repeatedReservationsResume,
		"files are listed newest first":        newestFirst,
		"file names are preserved":             namesStayAsGiven,
		"unprintable names are rejected":       unprintableNamesAreRejected,
		"quotes stay in form names":            quotesStayInNamesOfForms,
	}
}
