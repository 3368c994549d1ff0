// Package linecount proves the promises of line counts.
package linecount

import (
	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"lines are counted":                      linesAreCounted,
		"the page of line counts is served":      pageIsServed,
		"foreign line counts are not found":      foreignCountsAreNotFound,
		"a notification starts a count of lines": noticeIsEnough,
	}
}

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"long texts fail and are replayed": longTextsFail,
		"lost events are published again":  lostEventsAreRepaired,
	}
}

// Callers states who may call the operations of line counts.
func Callers() identity.Area {
	return identity.Area{
		Items: []identity.Item{{
			Name: "linecount", In: "linecounts", Path: "/v1/linecounts", Body: `{"fileName":"{marker}.txt","size":3}`, Field: "id",
			Unknown: func() string { return uuid.Must(uuid.NewV7()).String() }, Shown: "/v1/linecounts/{linecount}",
		}},
		Operations: map[string]identity.Operation{
			"POST /v1/linecounts":                 {Kind: identity.Common, Body: `{"fileName":"b.txt","size":3}`},
			"POST /v1/linecounts/{id}/uploaded":   {Kind: identity.Own},
			"GET /v1/linecounts/{id}":             {Kind: identity.Own},
			"GET /v1/owners/{ownerId}/linecounts": {Kind: identity.Own},
		},
	}
}
