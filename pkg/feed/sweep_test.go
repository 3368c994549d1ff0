package feed_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/feed"
)

// TestScanReadsAllItems: page by page, and one that cannot be read is told and
// hides no other.
func TestScanReadsAllItems(t *testing.T) {
	db, store, _ := open(t)
	want := map[string]bool{}
	for n := range 25 {
		want[create(t, store, submission(n, time.Now(), "a")).SourceID] = true
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &tables.Primary, Item: map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#broken"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
	}}); err != nil {
		t.Fatal(err)
	}
	got, broken := map[string]bool{}, []string{}
	cursor := ""
	for {
		page, err := store.Scan(t.Context(), cursor, 10)
		if err != nil || len(page.Items)+len(page.Broken) > 10 {
			t.Fatalf("%d items, %v", len(page.Items), err)
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
		t.Errorf("got %v and broken %v", got, broken)
	}
}

func TestMissingNamesIDsWithoutAnItem(t *testing.T) {
	_, store, _ := open(t)
	var ids, want []string
	for n := range 40 {
		s := submission(n, time.Now(), "a")
		if ids = append(ids, s.SourceID); n%3 != 0 {
			create(t, store, s)
			continue
		}
		want = append(want, s.SourceID)
	}
	if got, err := store.Missing(t.Context(), ids); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// TestTextKeys: a key names one source id, fits a file system that takes names of
// 255 bytes and one that does not tell A from a, and none is a folder of another.
func TestTextKeys(t *testing.T) {
	longest := strings.Repeat("Aa", 124) + "x"
	keys := map[string]bool{}
	for _, id := range []string{"reddit#a", "reddit#A", "newsapi#a_-9", "reddit#" + longest[:93], "reddit#" + longest[:94], "reddit#" + longest} {
		key := feed.TextKey(id)
		if keys[strings.ToLower(key)] {
			t.Errorf("the key of %s is another's too: %s", id, key)
		}
		keys[strings.ToLower(key)] = true
		if got, err := feed.ParseTextKey(key); err != nil || got != id {
			t.Errorf("%s becomes %q, %v", key, got, err)
		}
		for part := range strings.SplitSeq(key, "/") {
			if len(part) > 255 {
				t.Errorf("a part of %s has %d bytes", key, len(part))
			}
		}
	}
	for key := range keys {
		for other := range keys {
			if strings.HasPrefix(other, key+"/") {
				t.Errorf("%s is the folder of %s", key, other)
			}
		}
	}
	for _, key := range []string{"", "feed/", "feed/xyz", "files/7265646469742361", "feed/726564646974", "feed/72-/65646469742361", "feed/7265646469742361/"} {
		if id, err := feed.ParseTextKey(key); err == nil {
			t.Errorf("%q is taken for the key of %s", key, id)
		}
	}
}
