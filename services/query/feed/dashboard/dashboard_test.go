package dashboard_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// analyzed returns an item as it appears in the stream.
func analyzed(n int, at time.Time, sentiment string, score, compound float64, tags ...string) feed.Item {
	item := feedtest.Submission(n, at, tags...).Item(time.Now())
	item.Status, item.Sentiment, item.Score, item.Compound, item.ModelVersion = feed.Analyzed, sentiment, score, compound, "v1.0.0"
	return item
}

func show(t *testing.T, d *dashboard.Dashboard, items ...feed.Item) {
	t.Helper()
	images := make([]dashboard.Image, len(items))
	for i, item := range items {
		images[i] = dashboard.Image{Item: item}
	}
	if err := d.Apply(t.Context(), images...); err != nil {
		t.Fatal(err)
	}
}

// all reads every page of a list and returns the source ids.
func all(t *testing.T, d *dashboard.Dashboard, l dashboard.Listing) []string {
	t.Helper()
	var ids []string
	for {
		page, err := d.List(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Rows) > l.Limit || page.NextCursor != "" && len(page.Rows) < l.Limit {
			t.Fatalf("got a page of %d rows with next cursor %q, want %d rows, or fewer on the last page", len(page.Rows), page.NextCursor, l.Limit)
		}
		for _, row := range page.Rows {
			ids = append(ids, row.SourceID)
		}
		if page.NextCursor == "" {
			return ids
		}
		l.Cursor = page.NextCursor
	}
}

// TestListsAndCounts compares every list, the summary and the series with plain
// loops over the same items. The items are spread over nine days and applied in
// random order, some more than once; many have the same millisecond and score.
func TestListsAndCounts(t *testing.T) {
	_, _, board := open(t)
	random := rand.New(rand.NewPCG(4, 2))
	names := []string{feed.Positive, feed.Neutral, feed.Negative}
	tags := []string{"a", "b", "c d", "é", "#"}
	// Half an hour from the edges of all windows, so that the duration of the test does not matter.
	start := time.Now().Add(-30 * time.Minute)
	var items []feed.Item
	for n := range 600 {
		at := start.Add(-time.Duration(random.IntN(9*24)) * time.Hour).Add(time.Duration(random.IntN(3)) * time.Millisecond)
		random.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
		items = append(items, analyzed(n, at, names[random.IntN(3)], float64(random.IntN(40))/40, float64(random.IntN(200)-100)/1e4, tags[:1+random.IntN(5)]...))
	}
	shown := slices.Concat(items, items[:100])
	random.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	show(t, board, shown...)

	for _, hours := range []int{1, 24, 100, 168} {
		since := time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(feed.TimeLayout)
		for _, sentiment := range append(names, "") {
			for _, tag := range []string{"", "a", "c d", "#", "none"} {
				want := selected(items, since, sentiment, tag)
				for _, limit := range []int{7, 1000} {
					got := all(t, board, dashboard.Listing{Hours: hours, Sentiment: sentiment, Tag: tag, Limit: limit})
					if !slices.Equal(got, want) {
						t.Errorf("%d hours of %q %q in pages of %d: got %d items %v, want %d %v", hours, sentiment, tag, limit, len(got), got, len(want), want)
					}
				}
			}
		}
		checkSummary(t, board, items, hours, since)
		for _, tag := range []string{"", "a", "none"} {
			for _, size := range []time.Duration{time.Minute, 5 * time.Minute, time.Hour, 24 * time.Hour} {
				checkSeries(t, board, items, hours, since, tag, size)
			}
		}
	}
}

// selected returns the source ids of a list, computed with plain loops.
func selected(items []feed.Item, since, sentiment, tag string) []string {
	var chosen []feed.Item
	for _, i := range items {
		if i.IngestedAt >= since && (sentiment == "" || i.Sentiment == sentiment) && (tag == "" || slices.Contains(i.MatchedTags, tag)) {
			chosen = append(chosen, i)
		}
	}
	slices.SortFunc(chosen, func(a, b feed.Item) int {
		if sentiment != "" && a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(b.IngestedAt+b.SourceID, a.IngestedAt+a.SourceID)
	})
	var ids []string
	for _, i := range chosen {
		ids = append(ids, i.SourceID)
	}
	return ids
}

func checkSummary(t *testing.T, d *dashboard.Dashboard, items []feed.Item, hours int, since string) {
	t.Helper()
	got, err := d.Summary(t.Context(), dashboard.Query{Hours: hours})
	if err != nil {
		t.Fatal(err)
	}
	count := func(since, sentiment, tag string) int { return len(selected(items, since, sentiment, tag)) }
	ago := func(hours int) string {
		return time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(feed.TimeLayout)
	}
	want := dashboard.Summary{
		Total: count(since, "", ""), UpdatedAt: got.UpdatedAt,
		Sentiment: dashboard.Counts{Positive: count(since, feed.Positive, ""), Neutral: count(since, feed.Neutral, ""), Negative: count(since, feed.Negative, "")},
		Rate:      dashboard.Rate{LastHour: count(ago(1), "", ""), Last24h: count(ago(24), "", "")},
	}
	for _, tag := range []string{"#", "a", "b", "c d", "é"} {
		if n := count(since, "", tag); n > 0 {
			want.Tags = append(want.Tags, dashboard.TagCount{Tag: tag, Count: n})
		}
	}
	slices.SortStableFunc(want.Tags, func(a, b dashboard.TagCount) int { return b.Count - a.Count })
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("summary of %d hours is %+v, want %+v", hours, got, want)
	}
}

func checkSeries(t *testing.T, d *dashboard.Dashboard, items []feed.Item, hours int, since, tag string, size time.Duration) {
	t.Helper()
	got, err := d.Series(t.Context(), dashboard.Query{Hours: hours, Tag: tag}, size)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, b := range got {
		if i > 0 && !b.Start.After(got[i-1].Start) || !b.Start.Equal(b.Start.Truncate(size)) {
			t.Errorf("bucket %d: got start %s, want a multiple of %s after the previous bucket", i, b.Start, size)
		}
		var counts dashboard.Counts
		sum := 0.0
		for _, item := range items {
			at, err := item.Ingested()
			if err != nil {
				t.Fatal(err)
			}
			if item.IngestedAt < since || at.Before(b.Start) || !at.Before(b.Start.Add(size)) || tag != "" && !slices.Contains(item.MatchedTags, tag) {
				continue
			}
			total++
			sum += item.Compound
			switch item.Sentiment {
			case feed.Positive:
				counts.Positive++
			case feed.Neutral:
				counts.Neutral++
			case feed.Negative:
				counts.Negative++
			}
		}
		average := sum / float64(counts.Positive+counts.Neutral+counts.Negative)
		if b.Counts != counts || b.AverageCompound < average-0.000051 || b.AverageCompound > average+0.000051 {
			t.Errorf("bucket of %s at %s is %+v, want counts %+v and average %v", size, b.Start, b, counts, average)
		}
	}
	if want := len(selected(items, since, "", tag)); total != want {
		t.Errorf("the buckets of %s in %d hours of %q contain %d items, want %d", size, hours, tag, total, want)
	}
}

// An item belongs to its UTC day, and a window across midnight includes both days.
func TestMidnight(t *testing.T) {
	_, _, board := open(t)
	midnight := time.Now().UTC().Truncate(24 * time.Hour)
	show(t, board, analyzed(1, midnight.Add(-time.Millisecond), feed.Positive, 0.9, 0.8, "a"), analyzed(2, midnight, feed.Positive, 0.8, 0.6, "a"))
	for i, want := range []string{midnight.AddDate(0, 0, -1).Format(time.DateOnly), midnight.Format(time.DateOnly)} {
		rows, err := dashboard.Rows(analyzed(i+1, midnight.Add(time.Duration(i-1)*time.Millisecond), feed.Positive, 0.9, 0.8, "a"))
		if err != nil || rows[0].DayPartition != want || rows[1].DayPartition != want+"#tag" {
			t.Errorf("got rows %+v, error %v, want day %s", rows, err, want)
		}
	}
	for _, l := range []dashboard.Listing{{}, {Tag: "a"}} {
		l.Hours, l.Limit = 48, 1
		if got := all(t, board, l); !slices.Equal(got, []string{"reddit#2", "reddit#1"}) {
			t.Errorf("%+v: got %v, want [reddit#2 reddit#1]", l, got)
		}
	}
	if got := all(t, board, dashboard.Listing{Hours: 48, Limit: 1, Sentiment: feed.Positive}); !slices.Equal(got, []string{"reddit#1", "reddit#2"}) {
		t.Errorf("by score: got %v, want [reddit#1 reddit#2]", got)
	}
}

// Rows match the seed: keys, TTL, and the content of each index. The last row, of a folded tag, is an addition.
func TestRows(t *testing.T) {
	at := time.Date(2025, 11, 16, 14, 30, 0, 1e6, time.UTC)
	rows, err := dashboard.Rows(analyzed(7, at, feed.Positive, 0.85123, 0.7, "AI", "x#y"))
	if err != nil || len(rows) != 4 {
		t.Fatalf("got %d rows, error %v, want 4", len(rows), err)
	}
	type keys struct{ day, sort, score, tag string }
	for i, want := range []keys{
		{"2025-11-16", "2025-11-16T14:30:00.001Z#reddit#7", "positive#0.85#0.85123#2025-11-16T14:30:00.001Z#reddit#7", ""},
		{"2025-11-16#tag", "2025-11-16T14:30:00.001Z#reddit#7#AI", "positive#2#AI#0.85#0.85123#2025-11-16T14:30:00.001Z#reddit#7", "AI"},
		{"2025-11-16#tag", "2025-11-16T14:30:00.001Z#reddit#7#x#y", "positive#3#x#y#0.85#0.85123#2025-11-16T14:30:00.001Z#reddit#7", "x#y"},
		{"2025-11-16#tag", "2025-11-16T14:30:00.001Z#reddit#7#ai", "positive#2#ai#0.85#0.85123#2025-11-16T14:30:00.001Z#reddit#7", "ai"},
	} {
		if got := (keys{rows[i].DayPartition, rows[i].SortKey, rows[i].SentimentScore, rows[i].Tag}); got != want {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
		if rows[i].ExpiresAt != at.Add(7*24*time.Hour).Unix()+1 || rows[i].IngestedAt() != "2025-11-16T14:30:00.001Z" {
			t.Errorf("row %d: got ingestion time %s and expiry %d, want 2025-11-16T14:30:00.001Z and %d", i, rows[i].IngestedAt(), rows[i].ExpiresAt, at.Add(7*24*time.Hour).Unix()+1)
		}
	}
}

// An older image of an item never removes a tag, and an expired item is not shown.
func TestShowInAnyOrder(t *testing.T) {
	_, _, board := open(t)
	at := time.Now().Add(-time.Minute)
	early, late := analyzed(1, at, feed.Positive, 0.9, 0.8, "a"), analyzed(1, at, feed.Positive, 0.9, 0.8, "a", "b")
	show(t, board, late, early, analyzed(2, at.Add(-feed.Retention), feed.Positive, 0.9, 0.8, "a"))
	for _, tag := range []string{"", "a", "b"} {
		page, err := board.List(t.Context(), dashboard.Listing{Hours: 168, Tag: tag, Limit: 10})
		if err != nil || len(page.Rows) != 1 || len(page.Rows[0].MatchedTags) != 2 {
			t.Errorf("tag %q: got %+v, error %v, want one row with two tags", tag, page, err)
		}
	}
	if err := board.Apply(t.Context(), dashboard.Image{Item: late, Gone: true}); err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"", "a", "b"} {
		if got := all(t, board, dashboard.Listing{Hours: 168, Tag: tag, Limit: 10}); len(got) != 0 {
			t.Errorf("tag %q: got items %v, want none", tag, got)
		}
	}
}

func TestForeignCursors(t *testing.T) {
	_, _, board := open(t)
	for n := range 3 {
		show(t, board, analyzed(n, time.Now(), feed.Positive, 0.9, 0.8, "a"))
	}
	page, err := board.List(t.Context(), dashboard.Listing{Hours: 1, Limit: 1})
	if err != nil || page.NextCursor == "" {
		t.Fatalf("got %+v, error %v, want a next cursor", page, err)
	}
	for _, l := range []dashboard.Listing{
		{Tag: "a", Cursor: page.NextCursor}, {Sentiment: feed.Positive, Cursor: page.NextCursor}, {Cursor: "x"},
	} {
		l.Hours, l.Limit = 1, 1
		if _, err := board.List(t.Context(), l); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%+v: got error %v, want ErrCursor", l, err)
		}
	}
}

// TestListsContainThePublicationTime checks that lists contain the publication time given by the source.
func TestListsContainThePublicationTime(t *testing.T) {
	_, _, board := open(t)
	for n, published := range map[int]any{1: "2026-11-20T12:00:00+02:00", 2: "yesterday", 3: nil} {
		item := analyzed(n, time.Now(), feed.Positive, 0.9, 0.8, "a")
		item.Metadata = map[string]any{"published_at": published}
		show(t, board, item)
	}
	page, err := board.List(t.Context(), dashboard.Listing{Hours: 1, Limit: 10})
	if err != nil || len(page.Rows) != 3 {
		t.Fatalf("got %+v, error %v, want 3 rows", page, err)
	}
	for _, row := range page.Rows {
		want := map[string]string{"reddit#1": "2026-11-20T10:00:00Z"}[row.SourceID]
		if got := row.View().PublishedAt; got != want {
			t.Errorf("%s was published at %q, want %q", row.SourceID, got, want)
		}
	}
}
