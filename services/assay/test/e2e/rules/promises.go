// Package rules proves the promises of rules, and of the events about tags and saved searches.
package rules

import (
	"net/http"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"searches: new matches are reported once":       newMatchesAreReported,
		"searches: tags make items match":               tagsMakeItemsMatch,
		"searches: moves make files match":              movesMakeFilesMatch,
		"searches: each owner receives its own matches": eachOwnerReceivesItsOwn,
		"rules: new items are acted on":                 newItemsAreActedOn,
		"rules: files are moved to folders":             filesAreMoved,
		"rules: pictures are edited":                    picturesAreEdited,
		"rules: the first of two that fight wins":       theFirstWins,
		"rules: they do not act on their own results":   noLoops,
		"rules: chains end":                             chainsEnd,
		"rules: items that end again are acted on":      endedAgain,
		"rules: what fails is explained":                failuresAreExplained,
		"rules: a dry run changes nothing":              dryRunChangesNothing,
		"rules: invalid ones are not saved":             invalidOnesAreNotSaved,
		"rules: an owner saves at most 100":             anOwnerSavesAtMost100,
		"rules: nothing is kept about deleted items":    nothingIsKept,
	}
}

// Callers states who may call the operations. A caller has only its own rules.
func Callers() identity.Area {
	name, item := map[string]string{"name": "budgets"}, map[string]string{"area": "library", "id": "node"}
	return identity.Area{Operations: map[string]identity.Operation{
		"GET /v1/rules":                               {Kind: identity.Common},
		"GET /v1/rules/{name}":                        {Kind: identity.Common, Names: name, Absent: true},
		"PUT /v1/rules/{name}":                        {Kind: identity.Common, Names: name, Body: `{"q":"budget","actions":[{"tag":"x"}],"enabled":false}`},
		"DELETE /v1/rules/{name}":                     {Kind: identity.Common, Names: name},
		"GET /v1/searches/{name}/events":              {Kind: identity.Common, Names: name, Absent: true},
		"GET /v1/items/{area}/{id}/rules":             {Kind: identity.Common, Names: item},
		http.MethodPost + " /v1/rules/{name}/dry-run": {Kind: identity.Common, Names: name, Absent: true},
	}}
}
