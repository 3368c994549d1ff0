// Package items proves the promises of the view of the items of all areas.
package items

import (
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"items: all areas have one list":        allAreasHaveOneList,
		"items: pages are stable":               pagesAreStable,
		"items: each area's permissions hold":   permissionsHold,
		"items: invalid requests are explained": invalidRequestsAreExplained,
	}
}

// Callers states who may call the operations.
func Callers() identity.Area {
	return identity.Area{Operations: map[string]identity.Operation{
		"GET /v1/items":             {Kind: identity.Common},
		"GET /v1/items/{area}/{id}": {Kind: identity.Own, Names: map[string]string{"area": "library", "id": "node"}},
	}}
}
