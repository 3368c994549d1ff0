package dashboard_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// rows returns the dashboard table's rows by their keys.
func rows(t *testing.T, db *dynamodb.Client) map[string]map[string]types.AttributeValue {
	t.Helper()
	found := map[string]map[string]types.AttributeValue{}
	pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: aws.String(feedtest.Dashboard)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Items {
			found[row["day_partition"].(*types.AttributeValueMemberS).Value+" "+row["ingested_at"].(*types.AttributeValueMemberS).Value] = row
		}
	}
	return found
}

// TestRebuild checks that a rebuild makes a dashboard table with missing, wrong and extra rows
// match the items.
func TestRebuild(t *testing.T) {
	db, store, board := open(t)
	for n := range 60 {
		item := feedtest.Create(t, store, feedtest.Submission(n, time.Now().Add(-time.Duration(n*4)*time.Hour-30*time.Minute), "a", fmt.Sprint("t", n%3)))
		if n%10 == 0 {
			continue // pending
		}
		if _, err := store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
			t.Fatal(err)
		}
	}
	broken := map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#bad"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Primary), Item: broken}); err != nil {
		t.Fatal(err)
	}
	done, err := board.Rebuild(t.Context())
	if err != nil || done != (dashboard.Rebuilt{Items: 54, Skipped: 1}) {
		t.Fatalf("got %+v, error %v, want 54 items and 1 skipped", done, err)
	}
	want := rows(t, db)
	keys := slices.Sorted(maps.Keys(want))
	counters := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return want[key]["source_id"] != nil })
	// Of the 42 items of the last 168 hours, 37 are analyzed. Each has a base row and
	// two tag rows.
	if n := len(keys) - len(counters); n != 37*3 {
		t.Errorf("got %d rows, want %d", n, 37*3)
	}

	put := func(row map[string]types.AttributeValue, name, value string) {
		changed := maps.Clone(row)
		changed[name] = &types.AttributeValueMemberS{Value: value}
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Dashboard), Item: changed}); err != nil {
			t.Fatal(err)
		}
	}
	for i, key := range keys {
		row := want[key]
		kind := i % 5
		if slices.Contains(counters, key) {
			kind = i % 2 * 4 // missing or correct
			if i%3 == 0 {
				kind = 5
			}
		}
		switch kind {
		case 0: // missing
			if _, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(feedtest.Dashboard), Key: map[string]types.AttributeValue{
				"day_partition": row["day_partition"], "ingested_at": row["ingested_at"],
			}}); err != nil {
				t.Fatal(err)
			}
		case 1: // wrong
			put(row, "sentiment", feed.Negative)
		case 2: // belongs to no item
			put(row, "ingested_at", row["ingested_at"].(*types.AttributeValueMemberS).Value+"#none")
		case 3: // with tags that the item does not have
			changed := maps.Clone(row)
			changed["matched_tags"] = &types.AttributeValueMemberSS{Value: []string{"a", "b", "c", "d"}}
			if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Dashboard), Item: changed}); err != nil {
				t.Fatal(err)
			}
		case 5: // wrong counts
			changed := maps.Clone(row)
			for name, value := range row {
				if _, number := value.(*types.AttributeValueMemberN); number && name != "expires_at" && name != "writes" {
					changed[name] = &types.AttributeValueMemberN{Value: "77"}
				}
			}
			if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Dashboard), Item: changed}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if done, err = board.Rebuild(t.Context()); err != nil || done.Items != 54 {
		t.Fatalf("got %+v, error %v, want Items 54", done, err)
	}
	got := rows(t, db)
	for _, counted := range []map[string]map[string]types.AttributeValue{got, want} {
		for key, row := range counted {
			delete(row, "writes")
			if strings.HasPrefix(key, "hours "+time.Now().Add(-feed.Retention).UTC().Format(time.DateOnly)) {
				delete(row, "dayTotal") // no window contains the complete day, so none reads its total
			}
			if row["source_id"] == nil && len(row) == 3 { // key and expiry only: it has no counts
				delete(counted, key)
			}
		}
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), keys) {
		t.Errorf("got rows %q, want %q", slices.Sorted(maps.Keys(got)), keys)
	}
	for _, key := range keys {
		if show, was := fmt.Sprint(plain(got[key])), fmt.Sprint(plain(want[key])); show != was {
			t.Errorf("%s is %s, want %s", key, show, was)
		}
	}
}

// plain returns the attributes of a row as plain Go values, so that rows can be compared as text.
func plain(row map[string]types.AttributeValue) map[string]any {
	values := map[string]any{}
	for name, value := range row {
		switch value := value.(type) {
		case *types.AttributeValueMemberSS:
			values[name] = slices.Sorted(slices.Values(value.Value))
		case *types.AttributeValueMemberS:
			values[name] = value.Value
		case *types.AttributeValueMemberN:
			values[name] = value.Value
		}
	}
	return values
}
