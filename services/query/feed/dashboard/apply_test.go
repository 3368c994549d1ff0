package dashboard_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// history returns the images of an item, oldest first.
func history(random *rand.Rand, n int, at time.Time, tags []string) []dashboard.Image {
	names := []string{feed.Positive, feed.Neutral, feed.Negative}
	tags = slices.Clone(tags)
	random.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
	var images []dashboard.Image
	for again := range 1 + random.IntN(5)/4 { // some are created again after being deleted
		item := analyzed(n, at, names[random.IntN(3)], float64(random.IntN(40))/40, float64(random.IntN(20000)-10000)/1e4)
		item.AnalyzedAt = at.Add(time.Duration(again) * time.Second).UTC().Format(feed.TimeLayout)
		for range 1 + random.IntN(3) {
			item.MatchedTags = slices.Sorted(slices.Values(tags[:min(len(item.MatchedTags)+1+random.IntN(2), 5)]))
			images = append(images, dashboard.Image{Item: item})
		}
		if again == 0 && random.IntN(4) == 0 || again == 1 {
			images = append(images, dashboard.Image{Item: item, Gone: true})
		}
	}
	if random.IntN(2) == 0 && images[len(images)-1].Gone {
		item := images[0].Item
		item.AnalyzedAt = at.Add(time.Minute).UTC().Format(feed.TimeLayout)
		images = append(images, dashboard.Image{Item: item})
	}
	return images
}

// TestCountersAreExact applies the images of items in random order, several times,
// from independent writers whose requests fail before and after they take effect,
// without and with a concurrent rebuild of the table. The final rows and counters
// must match the last images.
func TestCountersAreExact(t *testing.T) {
	t.Run("writers", func(t *testing.T) { testExact(t, false) })
	t.Run("writers and a rebuild", func(t *testing.T) { testExact(t, true) })
}

func testExact(t *testing.T, rebuild bool) {
	t.Parallel()
	db, faults := tabletest.Start(t)
	board := dashboard.New(db, feedtest.Config())
	if err := table.EnsureAll(t.Context(), db, feed.Tables(feedtest.Config())); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 11))
	start := time.Now().Add(-30 * time.Minute).UTC()
	var images []dashboard.Image
	var items []feed.Item // the final images
	for n := range 200 {
		at := start.Add(-time.Duration(random.IntN(166*60)) * time.Minute).Add(time.Duration(random.IntN(3)) * time.Millisecond)
		if n%3 == 0 { // many within a few minutes
			at = start.Add(-time.Duration(random.IntN(5)) * time.Minute)
		}
		all := history(random, n, at, []string{"a", "b", "c d", "é", "#"})
		images = append(images, all...)
		if last := all[len(all)-1]; !last.Gone {
			items = append(items, last.Item)
			put(t, db, last.Item)
		}
	}
	for _, kind := range []dynamolite.FaultKind{dynamolite.ErrorAfter, dynamolite.ErrorBefore, dynamolite.Conflict} {
		heal := faults.Add(dynamolite.Fault{Kind: kind, Operation: "TransactWriteItems", Probability: 0.04, Seed: uint64(kind)})
		defer heal()
	}
	heal := faults.Add(dynamolite.Fault{Kind: dynamolite.Unprocessed, Operation: "BatchGetItem", Probability: 0.1, Seed: 1})
	defer heal()
	writers, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		mine := slices.Concat(images, images[:len(images)/2])
		random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
		seed := random.Uint64()
		writers.Go(func() error { return applyAll(ctx, board, mine, rand.New(rand.NewPCG(seed, seed))) })
	}
	if rebuild {
		writers.Go(func() error {
			_, err := board.Rebuild(ctx)
			return err
		})
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	compare(t, board, items)
	// A rebuild counts everything again, and must change nothing.
	if done, err := board.Rebuild(t.Context()); err != nil || done != (dashboard.Rebuilt{Items: int64(len(items))}) {
		t.Errorf("got %+v, error %v, want only %d items checked", done, err, len(items))
	}
}

// applyAll applies images a few at a time, like a projector that resumes at its
// position after a failure.
func applyAll(ctx context.Context, d *dashboard.Dashboard, images []dashboard.Image, random *rand.Rand) error {
	for len(images) > 0 {
		n := min(1+random.IntN(60), len(images))
		err := d.Apply(ctx, images[:n]...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			images = images[n:]
		}
	}
	return nil
}

// put writes an item to the primary table unchanged.
func put(t *testing.T, db *dynamodb.Client, item feed.Item) {
	t.Helper()
	attributes, err := attributevalue.MarshalMap(item)
	if err == nil {
		_, err = db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(feedtest.Primary), Item: attributes})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compare compares lists, summaries and series with plain loops over the items.
func compare(t *testing.T, board *dashboard.Dashboard, items []feed.Item) {
	t.Helper()
	for _, hours := range []int{1, 2, 24, 168} {
		since := time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(feed.TimeLayout)
		for _, tag := range []string{"", "a", "#"} {
			for _, sentiment := range []string{"", feed.Negative} {
				got := all(t, board, dashboard.Listing{Hours: hours, Sentiment: sentiment, Tag: tag, Limit: 100})
				if want := selected(items, since, sentiment, tag); !slices.Equal(got, want) {
					t.Errorf("%d hours of %q %q: got %d items %v, want %d %v", hours, sentiment, tag, len(got), got, len(want), want)
				}
			}
			for _, size := range []time.Duration{time.Minute, 5 * time.Minute, time.Hour, 24 * time.Hour} {
				checkSeries(t, board, items, hours, since, tag, size)
			}
		}
		checkSummary(t, board, items, hours, since)
	}
}

// TestRefused checks that a row that can never be written is distinguished from other failures.
func TestRefused(t *testing.T) {
	_, _, board := open(t)
	long := make([]byte, 2000)
	for i := range long {
		long[i] = 'x'
	}
	item := analyzed(1, time.Now(), feed.Positive, 0.9, 0.8, string(long))
	if err := board.Apply(t.Context(), dashboard.Image{Item: item}); !dashboard.Refused(err) {
		t.Errorf("a key that is too long: got error %v, want a refused write", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := board.Apply(ctx, dashboard.Image{Item: analyzed(2, time.Now(), feed.Positive, 0.9, 0.8, "a")}); err == nil || dashboard.Refused(err) {
		t.Errorf("canceled context: got error %v, want one that is not a refused write", err)
	}
}
