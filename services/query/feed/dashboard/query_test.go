package dashboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// TestFiltersCompose compares lists, summaries and series of all combinations of source type, tag,
// sentiment and window with plain loops over the items.
func TestFiltersCompose(t *testing.T) {
	_, _, board := open(t)
	random := rand.New(rand.NewPCG(2, 9))
	sources, sentiments, tags := []string{"newsapi", "twitter", "rss"}, []string{feed.Positive, feed.Neutral, feed.Negative}, []string{"a", "b", "c"}
	minute := time.Now().UTC().Truncate(time.Minute)
	start := time.Now().UTC().Add(-30 * time.Minute)
	var items []feed.Item
	for n := range 300 {
		at := start.Add(-time.Duration(random.IntN(3*24*60)) * time.Minute).Add(time.Duration(random.IntN(3)) * time.Millisecond)
		if n%10 == 0 { // at the boundaries of a minute
			at = at.Truncate(time.Minute).Add(-time.Duration(n % 20 / 10))
		}
		item := analyzed(n, at, sentiments[random.IntN(3)], float64(random.IntN(40))/40, float64(random.IntN(200)-100)/1e4, slices.Clone(tags[random.IntN(3):])...)
		item.SourceType = sources[random.IntN(3)]
		items = append(items, item)
	}
	show(t, board, items...)
	windows := []dashboard.Query{
		{Hours: 24}, {Hours: 168}, {From: minute.Add(-50 * time.Hour)}, {From: minute.Add(-49*time.Hour - 7*time.Minute), To: minute.Add(-5*time.Hour - 50*time.Minute)},
		{From: minute.Add(-3 * time.Hour), To: minute.Add(-3*time.Hour + time.Minute)}, {From: minute.Add(-4 * time.Hour), To: minute.Add(-3*time.Hour - 30*time.Minute)},
	}
	for _, q := range windows {
		from, to := q.From, q.To
		if q.Hours > 0 {
			from = time.Now().Add(-time.Duration(q.Hours) * time.Hour)
		}
		if to.IsZero() {
			to = time.Now().Add(time.Hour)
		}
		for _, q.SourceType = range []string{"", "rss", "reddit"} {
			for _, q.Tag = range []string{"", "a"} {
				for _, q.Sentiment = range []string{"", feed.Negative} {
					chosen := slices.DeleteFunc(slices.Clone(items), func(i feed.Item) bool {
						return i.IngestedAt < from.UTC().Format(feed.TimeLayout) || i.IngestedAt >= to.UTC().Format(feed.TimeLayout) ||
							q.SourceType != "" && i.SourceType != q.SourceType
					})
					checkQuery(t, board, q, chosen)
				}
			}
		}
	}
}

// checkQuery compares the responses to a query with the items in chosen that have its tag and sentiment.
func checkQuery(t *testing.T, d *dashboard.Dashboard, q dashboard.Query, chosen []feed.Item) {
	t.Helper()
	want := selected(chosen, "", q.Sentiment, q.Tag)
	list := all(t, d, dashboard.Listing{
		Hours: q.Hours, From: q.From, To: q.To, SourceType: q.SourceType, Sentiment: q.Sentiment, Tag: q.Tag, Limit: 70,
	})
	if !slices.Equal(list, want) {
		t.Errorf("list of %+v: got %d items %v, want %d %v", q, len(list), list, len(want), want)
	}
	summary, err := d.Summary(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]int{}
	var counts dashboard.Counts
	compound := 0.0
	for _, i := range chosen {
		if !slices.Contains(want, i.SourceID) {
			continue
		}
		compound += i.Compound
		switch i.Sentiment {
		case feed.Positive:
			counts.Positive++
		case feed.Neutral:
			counts.Neutral++
		case feed.Negative:
			counts.Negative++
		}
		for _, tag := range i.MatchedTags {
			tags[tag]++
		}
	}
	got := map[string]int{}
	for _, tag := range summary.Tags {
		got[tag.Tag] = tag.Count
	}
	if summary.Total != len(want) || summary.Sentiment != counts || fmt.Sprint(got) != fmt.Sprint(tags) || summary.TagsOmitted {
		t.Errorf("summary of %+v: got %+v, want total %d, sentiments %v, tags %v", q, summary, len(want), counts, tags)
	}
	if q.Hours == 24 && summary.Rate.Last24h != len(want) {
		t.Errorf("rate of %+v: got %+v, want Last24h %d", q, summary.Rate, len(want))
	}
	series, err := d.Series(t.Context(), q, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var sum dashboard.Counts
	average := 0.0
	for _, b := range series {
		n := b.Positive + b.Neutral + b.Negative
		sum = dashboard.Counts{Positive: sum.Positive + b.Positive, Neutral: sum.Neutral + b.Neutral, Negative: sum.Negative + b.Negative}
		average += b.AverageCompound * float64(n)
	}
	if sum != counts || average-compound > 0.1 || compound-average > 0.1 {
		t.Errorf("series of %+v: got counts %v and compounds %v, want %v and %v", q, sum, average, counts, compound)
	}
}

func TestWindowsAreChecked(t *testing.T) {
	_, _, board := open(t)
	minute := time.Now().UTC().Truncate(time.Minute)
	for name, q := range map[string]dashboard.Query{
		"start with seconds": {From: minute.Add(-time.Hour + time.Second)},
		"end with seconds":   {From: minute.Add(-time.Hour), To: minute.Add(-time.Second)},
		"end before start":   {From: minute.Add(-time.Hour), To: minute.Add(-2 * time.Hour)},
		"empty":              {From: minute, To: minute},
		"too old":            {From: minute.Add(-200 * time.Hour).Truncate(time.Hour).Add(time.Minute)},
		"no start":           {To: minute},
	} {
		if _, err := board.Summary(t.Context(), q); !errors.Is(err, dashboard.ErrWindow) {
			t.Errorf("%s: got error %v, want ErrWindow", name, err)
		}
	}
}
