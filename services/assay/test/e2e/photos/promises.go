// Package photos proves the promises of photo jobs, including jobs of paid providers.
package photos

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"photos are edited":                     photosAreEdited,
		"options apply":                         optionsApply,
		"outputs are kept":                      outputsAreKept,
		"photos are listed":                     photosAreListed,
		"downloads follow the job":              downloadsFollowTheJob,
		"download links expire":                 downloadLinksExpire,
		"failed photos are retried":             failedPhotosAreRetried,
		"bad photos fail":                       badPhotosFail,
		"empty photos are refused":              emptyPhotosAreRefused,
		"the content decides":                   contentDecides,
		"failures are for people":               failuresAreForPeople,
		"photos are canceled":                   photosAreCanceled,
		"photos are deleted":                    photosAreDeleted,
		"foreign photos are not found":          foreignPhotosAreNotFound,
		"repeated calls return the first photo": repeatsFindTheFirstPhoto,
		"deleted photos can be sent again":      deletedPhotosCanBeSentAgain,
		"batches end once":                      batchesEndOnce,
		"signed URLs show photos":               signedURLsShowPhotos,
		"large batches end":                     largeBatchesEnd,
	}
}

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"paid photos are edited": paidPhotosAreEdited,
	}
}
