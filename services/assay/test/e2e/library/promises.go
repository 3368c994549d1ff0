// Package library proves the promises of folders and files: permissions, moves, names, the trash, uploads, downloads,
// records and search.
package library

import "github.com/assay-project/assay/services/assay/test/e2e/system"

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"library: permissions hold for every call":           permissionsHold,
		"library: no other owner's id is shown":              ownersAreNotShown,
		"library: links expire and are revoked":              linksAreRevoked,
		"library: uploads do not conflict":                   uploadsDoNotConflict,
		"library: opposite moves create no cycle":            movesCreateNoCycle,
		"library: changes based on old versions fail":        versionsAreChecked,
		"library: names are checked":                         namesAreChecked,
		"library: a folder is trashed by one write":          foldersAreTrashed,
		"library: large folders are trashed by one write":    largeFoldersAreTrashedByOneWrite,
		"library: bulk changes have outcomes":                bulkHasOutcomes,
		"library: idempotency keys prevent duplicates":       keysPreventDuplicates,
		"library: forms upload files":                        formsUpload,
		"library: rejected forms leave nothing behind":       rejectedFormsLeaveNothing,
		"library: pictures are displayed":                    picturesAreDisplayed,
		"library: failures are explained":                    failuresAreExplained,
		"library: folders are downloaded as zips":            foldersAreZipped,
		"library: erased nodes can be created again":         erasedNodesCanBeCreatedAgain,
		"library: erased folders leave nothing behind":       erasedFoldersLeaveNothing,
		"library: operators list by every index":             operatorsList,
		"library: live events follow permissions":            eventsFollowPermissions,
		"library: files report their outcomes":               filesReportTheirOutcomes,
		"library: failed steps are retried":                  stepsAreRetried,
		"library: display names are set":                     displayNamesAreSet,
		"library: the command line preserves folders":        commandLine,
		"library: records are paged and filtered":            recordsAreServed,
		"library: records are exported":                      recordsAreExported,
		"library: values of an SDF may begin with >":         qualifiedValuesAreKept,
		"library: records contain tables":                    recordTables,
		"library: damaged records fail alone":                damagedRecordsFail,
		"library: one chunk of records is retried":           chunksAreRetried,
		"library: the command line lists records":            commandLineRecords,
		"library: searches find readable nodes":              searchesFind,
		"library: web pages are searched entirely":           pagesAreSearchedEntirely,
		"library: missing text is explained":                 missingTextIsExplained,
		"library: searches explain errors":                   searchesExplain,
		"library: contents are found":                        contentsAreFound,
		"library: after reveals nothing":                     afterRevealsNothing,
		"library: lists are sorted":                          listsAreSorted,
		"library: links open as pages":                       linksOpenAsPages,
		"library: names can be kept unique":                  namesCanBeUnique,
		"library: reasons are shown":                         reasonsAreShown,
		"library: empty texts are processed":                 emptyTextsAreProcessed,
		"library: imports of private addresses are rejected": privatePagesAreRejected,
	}
}
