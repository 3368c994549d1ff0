// Package e2e proves the promises of Assay from outside: over HTTP, S3, NATS and DynamoDB only.
// Each directory contains the promises of one subject and proves them on `assay serve`. This
// package lists all of them, for the tests of other topologies. Package system starts the programs.
package e2e

import (
	"github.com/assay-project/assay/services/assay/test/e2e/feed"
	"github.com/assay-project/assay/services/assay/test/e2e/find"
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/items"
	"github.com/assay-project/assay/services/assay/test/e2e/library"
	"github.com/assay-project/assay/services/assay/test/e2e/live"
	"github.com/assay-project/assay/services/assay/test/e2e/operation"
	"github.com/assay-project/assay/services/assay/test/e2e/outcomes"
	"github.com/assay-project/assay/services/assay/test/e2e/photos"
	"github.com/assay-project/assay/services/assay/test/e2e/quotas"
	"github.com/assay-project/assay/services/assay/test/e2e/recovery"
	"github.com/assay-project/assay/services/assay/test/e2e/rules"
	"github.com/assay-project/assay/services/assay/test/e2e/sending"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/e2e/tags"
	"github.com/assay-project/assay/services/assay/test/e2e/upgrade"
	"github.com/assay-project/assay/services/assay/test/e2e/uploads"
	"github.com/assay-project/assay/services/assay/test/e2e/webhooks"
)

// Promises returns the promises that a running system keeps, regardless of the number of its programs.
func Promises() system.Promises {
	return system.Join(
		uploads.Promises(), outcomes.Promises(), live.Promises(), operation.Promises(), find.Promises(), items.Promises(), tags.Promises(),
		feed.Promises(),
		photos.Promises(),
		library.Promises(),
		webhooks.Promises(),
		sending.Promises(),
		rules.Promises(),
	)
}

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Join(
		recovery.Scenarios(), upgrade.Scenarios(), identity.Scenarios(Callers()), quotas.Scenarios(),
		feed.Scenarios(),
		photos.Scenarios(),
		library.Scenarios(),
		webhooks.Scenarios(),
		find.Scenarios(),
	)
}

// Callers states who may call the operations of each area.
func Callers() []identity.Area {
	return []identity.Area{
		uploads.Callers(),
		feed.Callers(),
		photos.Callers(),
		library.Callers(),
		webhooks.Callers(),
		find.Callers(),
		items.Callers(),
		tags.Callers(),
		rules.Callers(),
	}
}
