// Package feedtest opens the tables of the feed for tests.
package feedtest

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// Names of the tables.
const (
	Primary   = "sentiment-items-primary"
	Dashboard = "sentiment-items-dashboard"
)

// Config returns the names of the tables.
func Config() feed.Config { return feed.Config{Primary: Primary, Dashboard: Dashboard} }

// Open creates both tables in a new engine, which is closed at the end of the test.
func Open(t testing.TB) (*dynamodb.Client, *feed.Store) {
	t.Helper()
	db, _ := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, feed.Tables(Config())); err != nil {
		t.Fatal(err)
	}
	return db, feed.NewStore(db, Config())
}

// Submission returns a submission with the given number, tags and time.
func Submission(n int, at time.Time, tags ...string) feed.Submission {
	return feed.Submission{
		SourceID: "reddit#" + strconv.Itoa(n), SourceType: "reddit", Text: "text", MatchedTags: tags,
		IngestedAt: at.UTC().Format(feed.TimeLayout),
	}
}

// Create writes the item of a submission, which must be new.
func Create(t testing.TB, store *feed.Store, s feed.Submission) feed.Item {
	t.Helper()
	item, created, err := store.Create(t.Context(), s.Item(time.Now()))
	if err != nil || !created {
		t.Fatalf("Create: got created = %t, error %v, want true", created, err)
	}
	return item
}

// Liked returns a positive analysis.
func Liked() feed.Analysis {
	return feed.Analysis{Sentiment: feed.Positive, Score: 0.85, Compound: 0.7, ModelVersion: "v1.0.0"}
}
