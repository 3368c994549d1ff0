// Package tags proves the promises of tags and saved searches.
package tags

import (
	"net/http"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"tags: concurrent changes lose nothing":  concurrentChangesLoseNothing,
		"tags: each owner has its own":           eachOwnerHasItsOwn,
		"tags: items of all areas have them":     itemsOfAllAreasHaveThem,
		"tags: invalid requests are explained":   invalidRequestsAreExplained,
		"tags: the search finds them at once":    theSearchFindsThemAtOnce,
		"searches: saved ones are run":           savedOnesAreRun,
		"searches: invalid ones are not saved":   invalidOnesAreNotSaved,
		"searches: an owner saves at most 100":   anOwnerSavesAtMost100,
		"tags: deleted items have none":          deletedItemsHaveNone,
		"tags: pages of tagged items are stable": pagesAreStable,
	}
}

// Callers states who may call the operations. A caller removes and reads only its own tags and searches.
func Callers() identity.Area {
	item := map[string]string{"area": "library", "id": "node", "tag": "budget"}
	name := map[string]string{"name": "budgets"}
	return identity.Area{Operations: map[string]identity.Operation{
		http.MethodPut + " /v1/items/{area}/{id}/tags/{tag}":    {Kind: identity.Own, Names: item},
		http.MethodDelete + " /v1/items/{area}/{id}/tags/{tag}": {Kind: identity.Own, Names: item, Silent: true},
		"GET /v1/tags":                 {Kind: identity.Common},
		"GET /v1/searches":             {Kind: identity.Common},
		"PUT /v1/searches/{name}":      {Kind: identity.Common, Names: name, Body: `{"q":"budget"}`},
		"GET /v1/searches/{name}":      {Kind: identity.Common, Names: name, Absent: true},
		"GET /v1/searches/{name}/hits": {Kind: identity.Common, Names: name, Absent: true},
		"DELETE /v1/searches/{name}":   {Kind: identity.Common, Names: name},
	}}
}
