package dashboard_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// open creates both tables in a new engine.
func open(t *testing.T) (*dynamodb.Client, *feed.Store, *dashboard.Dashboard) {
	t.Helper()
	db, store := feedtest.Open(t)
	return db, store, dashboard.New(db, feedtest.Config())
}
