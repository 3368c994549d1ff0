package feed

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedWords contains texts with the compound values published by the authors of VADER.
var feedWords = []struct {
	text, sentiment string
	compound        float64
}{
	{"VADER is smart, handsome, and funny.", "positive", 0.8316},
	{"The book was good.", "positive", 0.4404},
	{"Today SUX!", "negative", -0.5461},
	{"The table stands in the room.", "neutral", 0},
}

// feedRecord is an item that the test posts, with its expected result.
type feedRecord struct {
	at        time.Time
	tags      []string
	sentiment string
	compound  float64
}

// madeUpFeed returns n items of the last seven days by source id, and their posts in random order with some duplicates.
// Some items have times in the same millisecond, some around a midnight, and each has up to three of the tags.
func madeUpFeed(n int, seed uint64, tags []string) (map[string]feedRecord, []system.Posting) {
	random := rand.New(rand.NewPCG(seed, seed))
	// The times are half an hour away from the edges of all windows that the test requests.
	start := time.Now().Add(-30 * time.Minute).UTC().Truncate(time.Millisecond)
	midnight := time.Now().UTC().Truncate(24 * time.Hour)
	records := map[string]feedRecord{}
	var postings []system.Posting
	for i := range n {
		p := system.NewPosting("", "")
		at := start.Add(-time.Duration(random.IntN(166)) * time.Hour)
		switch i % 10 {
		case 0: // in the same millisecond as other items
			at = start.Add(-time.Duration(random.IntN(3)) * time.Hour)
		case 1: // around a midnight 48 to 72 hours ago
			at = midnight.Add(-48*time.Hour + time.Duration(random.IntN(3)-1)*time.Millisecond)
		}
		word := feedWords[random.IntN(len(feedWords))]
		random.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
		p.Text, p.IngestedAt, p.MatchedTags = word.text, system.UTC(at), slices.Clone(tags[:1+random.IntN(3)])
		records[p.SourceID] = feedRecord{at, p.MatchedTags, word.sentiment, word.compound}
		postings = append(postings, p)
		if i%7 == 0 { // a duplicate, posted at another time
			postings = append(postings, p)
		}
	}
	random.Shuffle(len(postings), func(i, j int) { postings[i], postings[j] = postings[j], postings[i] })
	return records, postings
}

// selected returns the source ids of the records that match the filters, in the order of the list.
func selected(records map[string]feedRecord, hours int, sentiment, tag string) []string {
	var ids []string
	for id, r := range records {
		if time.Since(r.at) < time.Duration(hours)*time.Hour && (sentiment == "" || r.sentiment == sentiment) && (tag == "" || slices.Contains(r.tags, tag)) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if sentiment != "" {
			// Lists of one sentiment are in descending order of confidence, which grows with the absolute compound value.
			if order := cmp.Compare(math.Abs(records[b].compound), math.Abs(records[a].compound)); order != 0 {
				return order
			}
		}
		return cmp.Or(records[b].at.Compare(records[a].at), strings.Compare(b, a))
	})
	return ids
}

// compareFeed compares lists, totals and series with the records.
func compareFeed(ctx context.Context, s system.System, records map[string]feedRecord, tags []string) error {
	for _, hours := range []int{1, 24, 100, 168} {
		for _, sentiment := range []string{"", "positive", "neutral", "negative"} {
			for _, tag := range append([]string{""}, tags...) {
				got, err := s.FeedList(ctx, url.Values{
					"hours": {strconv.Itoa(hours)}, "sentiment": {sentiment}, "tag": {tag}, "limit": {"900"},
				})
				if err != nil {
					return err
				}
				var ids []string
				for _, item := range got {
					ids = append(ids, item.SourceID)
				}
				if want := selected(records, hours, sentiment, tag); !slices.Equal(ids, want) {
					return fmt.Errorf("list of %d hours, sentiment %q, tag %q: got %d items, want %d in the expected order", hours, sentiment, tag, len(ids), len(want))
				}
			}
		}
		if err := compareSummary(ctx, s, records, hours, tags); err != nil {
			return err
		}
		for _, tag := range []string{"", tags[0]} {
			if err := compareSeries(ctx, s, records, hours, tag); err != nil {
				return err
			}
		}
	}
	return nil
}

func compareSummary(ctx context.Context, s system.System, records map[string]feedRecord, hours int, tags []string) error {
	var got struct {
		Total     int
		Sentiment map[string]int
		Tags      []struct {
			Tag   string
			Count int
		}
		Rate      struct{ LastHour, Last24h int }
		UpdatedAt time.Time
	}
	if err := s.GetJSON(ctx, "/v1/feed/summary?hours="+strconv.Itoa(hours), &got); err != nil {
		return err
	}
	count := func(hours int, sentiment, tag string) int { return len(selected(records, hours, sentiment, tag)) }
	sentiments := map[string]int{}
	for _, sentiment := range []string{"positive", "neutral", "negative"} {
		sentiments[sentiment] = count(hours, sentiment, "")
	}
	counts, want := map[string]int{}, map[string]int{}
	for i, tag := range got.Tags {
		counts[tag.Tag] = tag.Count
		if i > 0 && tag.Count > got.Tags[i-1].Count {
			return fmt.Errorf("the tags are not in descending order of count: %v", got.Tags)
		}
	}
	for _, tag := range tags {
		if n := count(hours, "", tag); n > 0 {
			want[tag] = n
		}
	}
	if got.Total != count(hours, "", "") || !maps.Equal(got.Sentiment, sentiments) || !maps.Equal(counts, want) ||
		got.Rate.LastHour != count(1, "", "") || got.Rate.Last24h != count(24, "", "") || time.Since(got.UpdatedAt) > 10*time.Minute {
		return fmt.Errorf("summary of %d hours: %+v, want total %d, sentiments %v, tags %v, rates %d and %d, and an update in the last 10 minutes",
			hours, got, count(hours, "", ""), sentiments, want, count(1, "", ""), count(24, "", ""))
	}
	return nil
}

func compareSeries(ctx context.Context, s system.System, records map[string]feedRecord, hours int, tag string) error {
	for name, size := range map[string]time.Duration{"1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour} {
		var got struct {
			Buckets []struct {
				Start                       time.Time
				Positive, Neutral, Negative int
				AverageCompound             float64
			}
		}
		if err := s.GetJSON(ctx, "/v1/feed/series?"+url.Values{"hours": {strconv.Itoa(hours)}, "bucket": {name}, "tag": {tag}}.Encode(), &got); err != nil {
			return err
		}
		type sums struct{ positive, neutral, negative int }
		want, compound := map[time.Time]sums{}, map[time.Time]float64{}
		for _, id := range selected(records, hours, "", tag) {
			start := records[id].at.Truncate(size)
			sum := want[start]
			switch records[id].sentiment {
			case "positive":
				sum.positive++
			case "neutral":
				sum.neutral++
			case "negative":
				sum.negative++
			}
			want[start], compound[start] = sum, compound[start]+records[id].compound
		}
		if len(got.Buckets) != len(want) {
			return fmt.Errorf("%d buckets of %s in %d hours, want %d", len(got.Buckets), name, hours, len(want))
		}
		for _, b := range got.Buckets {
			average := compound[b.Start] / float64(b.Positive+b.Neutral+b.Negative)
			if (sums{b.Positive, b.Neutral, b.Negative}) != want[b.Start] || math.Abs(b.AverageCompound-average) > 0.000051 {
				return fmt.Errorf("bucket of %s is %+v, want %+v and %v", name, b, want[b.Start], average)
			}
		}
	}
	return nil
}

var projected = flag.Int("projected", 120, "number of items posted while query is killed")

// TestProjectorKilled: query is killed repeatedly while items are posted. Afterwards, and after a rebuild, the dashboard
// contains each item once.
func TestProjectorKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("make rounds runs it")
	}
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_PROJECTOR_LEASE=1s")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Service(t, "analyzer", "ASSAY_ANALYZER_PARALLEL=16")
	c.Front(t, ingest, query)
	tags := []string{"tag a", "é", "c#d", "e"}
	items := *projected
	records, postings := madeUpFeed(items, 7, tags)

	created, batches := 0, 0
	for batch := range slices.Chunk(postings, max(1, min(100, len(postings)/16))) {
		for _, outcome := range c.PostItems(t, batch) {
			if outcome == "created" {
				created++
			}
		}
		if batches++; batches%4 == 0 {
			query.Kill(t)
			query = c.Service(t, "query")
		}
	}
	if created != items {
		t.Errorf("%d items were created, want %d", created, items)
	}
	c.Front(t, ingest, query)
	awaitFeed(ctx, t, c.System, records, tags)

	rebuilt := system.Launch(t, "assay", c.Environment("rebuild"), "feed", "rebuild")
	if status := rebuilt.End(t); status != 0 || !strings.HasPrefix(rebuilt.Output.String(), strconv.Itoa(items)+" items projected, 0 wrong rows removed, 0 unreadable") {
		t.Errorf("rebuild: exit status %d: %s, want 0 and %d items projected", status, rebuilt.Output, items)
	}
	if err := compareFeed(ctx, c.System, records, tags); err != nil {
		t.Errorf("after the rebuild: %v", err)
	}
}

// awaitFeed waits until the dashboard matches the records.
func awaitFeed(ctx context.Context, t *testing.T, s system.System, records map[string]feedRecord, tags []string) {
	t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := compareFeed(ctx, s, records, tags)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}
