package feed_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func TestOneConcurrentWriterCreates(t *testing.T) {
	_, store := feedtest.Open(t)
	item := feedtest.Submission(1, time.Now(), "a").Item(time.Now())
	var created atomic.Int32
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() {
			got, first, err := store.Create(t.Context(), item)
			if err != nil || got.SourceID != item.SourceID {
				t.Errorf("got %+v, error %v, want item %s", got, err, item.SourceID)
			}
			if first {
				created.Add(1)
			}
		})
	}
	if writers.Wait(); created.Load() != 1 {
		t.Errorf("got %d writers that created the item, want 1", created.Load())
	}
}

func TestCreateRoundTrip(t *testing.T) {
	_, store := feedtest.Open(t)
	s := feedtest.Submission(1, time.Now(), "b", "a")
	s.SourceURL = "https://example.com/"
	s.Metadata = map[string]any{"author": "J", "likes": 500.0, "ok": true}
	want := feedtest.Create(t, store, s)
	slices.Sort(want.MatchedTags)
	got, err := store.Get(t.Context(), s.SourceID)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	if _, err := store.Get(t.Context(), "reddit#other"); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("got error %v, want ErrNotFound", err)
	}
}

// TestMoves makes every move from every state.
func TestMoves(t *testing.T) {
	_, store := feedtest.Open(t)
	made := map[string]func(feed.Item) (feed.Item, error){
		"analyze": func(i feed.Item) (feed.Item, error) { return store.Analyze(t.Context(), i, feedtest.Liked()) },
		"giveUp":  func(i feed.Item) (feed.Item, error) { return store.GiveUp(t.Context(), i, "the text is gone") },
		"retry":   func(i feed.Item) (feed.Item, error) { return store.Retry(t.Context(), i) },

		"reanalyze": func(i feed.Item) (feed.Item, error) { return store.Reanalyze(t.Context(), i) },
	}
	for n, move := range feed.Machine().Moves {
		for m, state := range feed.Machine().States() {
			item := feedtest.Create(t, store, feedtest.Submission(10*n+m, time.Now(), "a"))
			if state == feed.Analyzed {
				var err error
				if item, err = store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
					t.Fatal(err)
				}
			}
			got, err := made[move.Name](item)
			moved, refused := errors.AsType[*lifecycle.MovedError](err)
			allowed := slices.Contains(move.From, state)
			if allowed && (err != nil || got.Status != move.To) || !allowed && (!refused || moved.Found != state) {
				t.Errorf("%s from %s: got %+v, error %v, want allowed = %t", move.Name, state, got, err, allowed)
			}
			if stored, err := store.Get(t.Context(), item.SourceID); err != nil || allowed && !reflect.DeepEqual(stored, got) {
				t.Errorf("%s from %s: got stored item %+v, error %v, want %+v", move.Name, state, stored, err, got)
			}
		}
		if _, err := made[move.Name](feedtest.Submission(999, time.Now(), "a").Item(time.Now())); !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("%s of a missing item: got error %v, want ErrNotFound", move.Name, err)
		}
	}
}

// TestGiveUpIsReverted checks that a given-up item keeps the reason and the time until a retry, an
// analysis, or a new text.
func TestGiveUpIsReverted(t *testing.T) {
	_, store := feedtest.Open(t)
	another := feedtest.Submission(0, time.Now(), "a")
	another.Text, another.SourceURL, another.Metadata = "another text", "https://example.com/another", map[string]any{"n": 1.5, "none": nil}
	for n, revert := range []func(feed.Item) (feed.Item, error){
		func(i feed.Item) (feed.Item, error) { return store.Retry(t.Context(), i) },
		func(i feed.Item) (feed.Item, error) { return store.Analyze(t.Context(), i, feedtest.Liked()) },
		func(i feed.Item) (feed.Item, error) { return store.Renew(t.Context(), i.Of(another)) },
		func(i feed.Item) (feed.Item, error) { return store.Renew(t.Context(), i.Of(feed.Submission{})) },
		func(i feed.Item) (feed.Item, error) {
			return store.Analyze(t.Context(), i.Of(another), feedtest.Liked())
		},
	} {
		item := feedtest.Create(t, store, feedtest.Submission(n, time.Now(), "a"))
		if _, err := store.GiveUp(t.Context(), item, "the text is gone"); err != nil {
			t.Fatal(err)
		}
		item, err := store.Get(t.Context(), item.SourceID)
		if at, timeErr := item.Failed(); err != nil || timeErr != nil || time.Since(at) > time.Minute || !item.GivenUp() || !item.Settled() ||
			item.Status != feed.Pending || item.View().ErrorMessage != "the text is gone" {
			t.Errorf("got %+v, error %v, time error %v, want a pending item that was given up now", item, err, timeErr)
		}
		want, err := revert(item)
		if err != nil {
			t.Fatal(err)
		}
		if item, err = store.Get(t.Context(), item.SourceID); err != nil || item.GivenUp() || item.ErrorMessage != "" || item.FailedAt != "" || !reflect.DeepEqual(item, want) {
			t.Errorf("after revert %d: got %+v, error %v, want %+v", n, item, err, want)
		}
	}
}

// TestLostResponseOfCreate covers a write that took effect although its response was an error: the
// SDK's retry recognizes the item as its own, and another writer does not.
func TestLostResponseOfCreate(t *testing.T) {
	db, faults := tabletest.Start(t)
	store := feed.NewStore(db, feedtest.Config())
	if err := table.EnsureAll(t.Context(), db, feed.Tables(feedtest.Config())); err != nil {
		t.Fatal(err)
	}
	item := feedtest.Submission(1, time.Now(), "a").Item(time.Now())
	faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "PutItem", Count: 1})
	first, created, err := store.Create(t.Context(), item)
	if err != nil || !created {
		t.Errorf("with a lost response: got created = %t, error %v, want true", created, err)
	}
	same, again, err := store.Create(t.Context(), item)
	if err != nil || again || !reflect.DeepEqual(same, first) {
		t.Errorf("another writer of the same item: got created = %t, %+v, error %v, want false, %+v", again, same, err, first)
	}
}

func TestOneConcurrentWorkerAnalyzes(t *testing.T) {
	_, store := feedtest.Open(t)
	item := feedtest.Create(t, store, feedtest.Submission(1, time.Now(), "a"))
	var made atomic.Int32
	var workers sync.WaitGroup
	for range 20 {
		workers.Go(func() {
			_, err := store.Analyze(t.Context(), item, feedtest.Liked())
			if _, moved := errors.AsType[*lifecycle.MovedError](err); err == nil {
				made.Add(1)
			} else if !moved {
				t.Error(err)
			}
		})
	}
	if workers.Wait(); made.Load() != 1 {
		t.Errorf("got %d workers that made the move, want 1", made.Load())
	}
}

func TestAnalysisIsChecked(t *testing.T) {
	_, store := feedtest.Open(t)
	item := feedtest.Create(t, store, feedtest.Submission(1, time.Now(), "a"))
	for _, a := range []feed.Analysis{
		{Sentiment: "happy", Score: 0.5, Compound: 0, ModelVersion: "v1.0.0"}, {Sentiment: "positive", Score: -0.1, Compound: 0, ModelVersion: "v1.0.0"}, {Sentiment: "positive", Score: 1.5, Compound: 0, ModelVersion: "v1.0.0"},
		{Sentiment: "positive", Score: 0.5, Compound: 2, ModelVersion: "v1.0.0"}, {Sentiment: "positive", Score: 0.5, Compound: 0, ModelVersion: "1.0.0"}, {Sentiment: "positive", Score: 0.5, Compound: 0, ModelVersion: "v1.0.0-rc1"},
	} {
		if _, err := store.Analyze(t.Context(), item, a); err == nil {
			t.Errorf("%+v: got no error, want one", a)
		}
	}
}

func TestConcurrentTagsAreKept(t *testing.T) {
	_, store := feedtest.Open(t)
	item := feedtest.Create(t, store, feedtest.Submission(1, time.Now(), "a"))
	var writers sync.WaitGroup
	for n := range 20 {
		writers.Go(func() {
			if _, err := store.AddTags(t.Context(), item, []string{"a", fmt.Sprintf("t%d", n)}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Go(func() {
		if _, err := store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
			t.Error(err)
		}
	})
	writers.Wait()
	got, err := store.Get(t.Context(), item.SourceID)
	if err != nil || len(got.MatchedTags) != 5 || !slices.Contains(got.MatchedTags, "a") || got.Status != feed.Analyzed {
		t.Errorf("got %+v, error %v, want an analyzed item with 5 tags, a included", got, err)
	}
	if _, err := store.AddTags(t.Context(), feedtest.Submission(2, time.Now(), "a").Item(time.Now()), []string{"b"}); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a missing item: got error %v, want ErrNotFound", err)
	}
}

// TestSeed compares an item and the tables with the seed 004-sentiment-dashboard.
func TestSeed(t *testing.T) {
	db, store := feedtest.Open(t)
	s := feedtest.Submission(1, time.Now(), "a")
	s.SourceURL, s.Metadata = "https://example.com/", map[string]any{"author": "J"}
	item := feedtest.Create(t, store, s)
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(feedtest.Primary), Key: map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: item.SourceID}, "ingested_at": &types.AttributeValueMemberS{Value: item.IngestedAt},
	}})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for name, value := range out.Item {
		kinds[name] = strings.TrimPrefix(fmt.Sprintf("%T", value), "*types.AttributeValueMember")
	}
	want := map[string]string{
		"source_id": "S", "ingested_at": "S", "source_type": "S", "source_url": "S", "text_snippet": "S", "sentiment": "S",
		"score": "N", "model_version": "S", "matched_tags": "SS", "metadata": "M", "status": "S",
		"compound": "N", "writer": "S", // in addition to the seed
	}
	if !maps.Equal(kinds, want) {
		t.Errorf("got attributes %v, want %v", kinds, want)
	}

	primary, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(feedtest.Primary)})
	if err != nil || len(primary.Table.GlobalSecondaryIndexes) != 0 || primary.Table.StreamSpecification.StreamViewType != types.StreamViewTypeNewAndOldImages {
		t.Errorf("the primary table: got %+v, error %v, want no indexes and a stream of both images", primary, err)
	}
	board, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(feedtest.Dashboard)})
	if err != nil {
		t.Fatal(err)
	}
	indexes := map[string]string{}
	for _, index := range board.Table.GlobalSecondaryIndexes {
		indexes[*index.IndexName] = fmt.Sprint(aws.ToString(index.KeySchema[0].AttributeName), " ", aws.ToString(index.KeySchema[1].AttributeName), " ", index.Projection.ProjectionType)
	}
	if want := map[string]string{"by_sentiment": "day_partition sentiment_score_combined ALL", "by_tag": "tag ingested_at ALL"}; !maps.Equal(indexes, want) {
		t.Errorf("got indexes %v, want %v", indexes, want)
	}
	ttl, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(feedtest.Dashboard)})
	if err != nil || aws.ToString(ttl.TimeToLiveDescription.AttributeName) != "expires_at" {
		t.Errorf("time to live: got %+v, error %v, want expires_at", ttl, err)
	}
}

func TestParseRejectsInvalidRows(t *testing.T) {
	valid := map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#1"}, "ingested_at": &types.AttributeValueMemberS{Value: "2025-11-16T14:30:00.000Z"},
		"status": &types.AttributeValueMemberS{Value: "pending"}, "matched_tags": &types.AttributeValueMemberSS{Value: []string{"a"}},
	}
	if _, err := feed.Parse(valid); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
		"status": &types.AttributeValueMemberS{Value: "analyzed"}, "matched_tags": &types.AttributeValueMemberNULL{Value: true},
		"score": &types.AttributeValueMemberS{Value: "much"},
	} {
		broken := maps.Clone(valid)
		broken[name] = value
		if i, err := feed.Parse(broken); err == nil {
			t.Errorf("invalid %s: got %+v, want an error", name, i)
		}
	}
}

// TestItemsExpire checks that an expired item is not read, even before the table has removed it.
func TestItemsExpire(t *testing.T) {
	db, store := feedtest.Open(t)
	for n, after := range []time.Duration{0, time.Hour, -time.Hour} {
		now := time.Now()
		if after < 0 {
			now, after = now.Add(2*after), -after
		}
		if _, _, err := store.Create(t.Context(), feedtest.Submission(n, now, "a").Item(now).Expiring(now, after)); err != nil {
			t.Fatal(err)
		}
	}
	for n, found := range []bool{true, true, false} {
		if _, err := store.Get(t.Context(), fmt.Sprintf("reddit#%d", n)); (err == nil) != found || !found && !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("item %d: got error %v, want found = %t", n, err, found)
		}
	}
	ttl, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(feedtest.Primary)})
	if err != nil || aws.ToString(ttl.TimeToLiveDescription.AttributeName) != "expires_at" {
		t.Errorf("time to live: got %+v, error %v, want expires_at", ttl, err)
	}
}
