package feed_test

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

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

// TestScanReadsAllItems checks that a broken item is reported and does not affect others.
func TestScanReadsAllItems(t *testing.T) {
	db, store := feedtest.Open(t)
	want := map[string]bool{}
	for n := range 25 {
		want[feedtest.Create(t, store, feedtest.Submission(n, time.Now(), "a")).SourceID] = true
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Primary), Item: map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#broken"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
	}}); err != nil {
		t.Fatal(err)
	}
	got, broken := map[string]bool{}, []string{}
	cursor := ""
	for {
		page, err := store.Scan(t.Context(), cursor, 10)
		if err != nil || len(page.Items)+len(page.Broken) > 10 {
			t.Fatalf("got %d items, %d broken, error %v, want at most 10", len(page.Items), len(page.Broken), err)
		}
		for _, item := range page.Items {
			got[item.SourceID] = true
		}
		for _, b := range page.Broken {
			broken = append(broken, fmt.Sprint(b.ID, b.Err != nil))
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if !maps.Equal(got, want) || !slices.Equal(broken, []string{"reddit#brokentrue"}) {
		t.Errorf("got items %v, broken %v, want items %v, broken reddit#broken", got, broken, want)
	}
}

func TestMissingReturnsIDsWithoutItem(t *testing.T) {
	_, store := feedtest.Open(t)
	var ids, want []string
	for n := range 40 {
		s := feedtest.Submission(n, time.Now(), "a")
		if ids = append(ids, s.SourceID); n%3 != 0 {
			feedtest.Create(t, store, s)
			continue
		}
		want = append(want, s.SourceID)
	}
	if got, err := store.Missing(t.Context(), ids); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
}

// TestRowsOfOneItemAreMerged checks that a scan returns one row for each source id, for every page
// size, and reports the source ids with several rows, and that merging keeps the first row, with the
// tags of all.
func TestRowsOfOneItemAreMerged(t *testing.T) {
	_, store := feedtest.Open(t)
	begin := time.Now().Add(-time.Hour)
	for n, tag := range []string{"a", "b", "c"} {
		feedtest.Create(t, store, feedtest.Submission(1, begin.Add(time.Duration(n)*time.Minute), tag))
		feedtest.Create(t, store, feedtest.Submission(10+n, begin, "a"))
	}
	look := func(limit int32) (items int, double []string) {
		for cursor, more := "", true; more; more = cursor != "" {
			page, err := store.Scan(t.Context(), cursor, limit)
			if err != nil {
				t.Fatal(err)
			}
			items += len(page.Items)
			double = append(double, page.Double...)
			cursor = page.Next
		}
		return items, slices.Compact(double)
	}
	for limit := range int32(7) {
		if items, double := look(limit + 1); items != 4 || !slices.Equal(double, []string{"reddit#1"}) {
			t.Errorf("in pages of %d: got %d items and duplicates of %v, want 4 and reddit#1", limit+1, items, double)
		}
	}
	for range 2 { // the second merge changes nothing
		if err := store.Merge(t.Context(), "reddit#1"); err != nil {
			t.Fatal(err)
		}
		if items, double := look(100); items != 4 || len(double) != 0 {
			t.Errorf("after the merge: got %d items and duplicates of %v, want 4 and none", items, double)
		}
		got, err := store.Get(t.Context(), "reddit#1")
		if at, timeErr := got.Ingested(); err != nil || timeErr != nil || at.Sub(begin).Abs() > time.Second || !slices.Equal(got.MatchedTags, []string{"a", "b", "c"}) {
			t.Errorf("after the merge: got %+v, error %v, time error %v, want the first row with tags a, b and c", got, err, timeErr)
		}
	}
}

// TestTextKeys checks that a key identifies one source id, is valid in a file system that limits names
// to 255 bytes and in one that ignores case, and is never the directory of another key.
func TestTextKeys(t *testing.T) {
	longest := strings.Repeat("Aa", 124) + "x"
	keys := map[string]bool{}
	for _, id := range []string{"reddit#a", "reddit#A", "newsapi#a_-9", "reddit#" + longest[:93], "reddit#" + longest[:94], "reddit#" + longest} {
		key := feed.TextKey(id)
		if keys[strings.ToLower(key)] {
			t.Errorf("TextKey(%s) = %s, which is the key of another item, want a different key", id, key)
		}
		keys[strings.ToLower(key)] = true
		if got, err := feed.ParseTextKey(key); err != nil || got != id {
			t.Errorf("ParseTextKey(%q) = %q, %v, want %q", key, got, err, id)
		}
		for part := range strings.SplitSeq(key, "/") {
			if len(part) > 255 {
				t.Errorf("key %s: got a part of %d bytes, want at most 255", key, len(part))
			}
		}
	}
	for key := range keys {
		for other := range keys {
			if strings.HasPrefix(other, key+"/") {
				t.Errorf("got key %s, which is a directory of key %s, want no such keys", key, other)
			}
		}
	}
	for _, key := range []string{
		"", "feed/", "feed/7265646469742361", "feed/00/7265646469742361",
		blob.Key("files/", "7265646469742361"), blob.Key("feed/", "xyz"), blob.Key("feed/", "726564646974"),
		blob.Key("feed/", "72-/65646469742361"), blob.Key("feed/", "7265646469742361/"),
	} {
		if id, err := feed.ParseTextKey(key); err == nil {
			t.Errorf("ParseTextKey(%q) = %s, want an error", key, id)
		}
	}
}
