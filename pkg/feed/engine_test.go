package feed_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

var tables = feed.Config{Primary: "sentiment-items-primary", Dashboard: "sentiment-items-dashboard"}

// open creates both tables in an engine of their own.
func open(t *testing.T) (*dynamodb.Client, *feed.Store) {
	t.Helper()
	db, _ := tabletest.Start(t)
	for range 2 { // again does nothing
		if err := table.EnsureAll(t.Context(), db, feed.Tables(tables)); err != nil {
			t.Fatal(err)
		}
	}
	return db, feed.NewStore(db, tables)
}

// submission is an item of this number with these tags, that came in at this time.
func submission(n int, at time.Time, tags ...string) feed.Submission {
	return feed.Submission{
		SourceID: "reddit#" + strconv.Itoa(n), SourceType: "reddit", Text: "text", MatchedTags: tags,
		IngestedAt: at.UTC().Format(feed.TimeLayout),
	}
}

func create(t *testing.T, store *feed.Store, s feed.Submission) feed.Item {
	t.Helper()
	if wrong := s.Check(time.Now()); len(wrong) != 0 {
		t.Fatal(wrong)
	}
	item, created, err := store.Create(t.Context(), s.Item(time.Now()))
	if err != nil || !created {
		t.Fatalf("created %t, %v", created, err)
	}
	return item
}

var liked = feed.Analysis{Sentiment: feed.Positive, Score: 0.85, Compound: 0.7, ModelVersion: "v1.0.0"}
