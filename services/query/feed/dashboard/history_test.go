package dashboard

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

// TestTotalsReachBackBeyondTheRows: of items whose rows have expired, the totals by hour remain: of all items, of each tag and
// of each source type.
func TestTotalsReachBackBeyondTheRows(t *testing.T) {
	db, _ := feedtest.Open(t)
	board := New(db, feedtest.Config())
	then := time.Now().UTC().AddDate(0, 0, -30).Truncate(24 * time.Hour)
	board.now = func() time.Time { return then }
	random := rand.New(rand.NewPCG(3, 6))
	sentiments := []string{feed.Positive, feed.Neutral, feed.Negative}
	var items []feed.Item
	for n := range 200 {
		at := then.Add(-time.Minute - time.Duration(random.IntN(6*24*60))*time.Minute)
		item := feedtest.Submission(n, at, []string{"a", "B"}[:1+n%2]...).Item(at)
		item.SourceType = []string{"rss", "reddit"}[n%3/2]
		item.Status, item.Sentiment, item.AnalyzedAt = feed.Analyzed, sentiments[random.IntN(3)], item.IngestedAt
		items = append(items, item)
		if err := board.Apply(t.Context(), Image{Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	board.now = time.Now
	count := func(from, to time.Time, tag, source, sentiment string) (n int) {
		for i, item := range items {
			at, err := item.Ingested()
			if err != nil {
				t.Fatal(err)
			}
			if !at.Before(from) && at.Before(to) && (tag != "b" || i%2 == 1) && (source == "" || item.SourceType == source) && (sentiment == "" || item.Sentiment == sentiment) {
				n++
			}
		}
		return n
	}
	from, to := then.Add(-77*time.Hour), then.Add(-5*time.Hour)
	for _, q := range []Query{{}, {Tag: "b"}, {SourceType: "rss"}, {Sentiment: feed.Negative}, {Sentiment: feed.Negative, Tag: "b"}} {
		q.From, q.To = from, to
		want := count(from, to, q.Tag, q.SourceType, q.Sentiment)
		sum, err := board.Summary(t.Context(), q)
		if err != nil || sum.Total != want || sum.TagsOmitted != (q.Tag+q.SourceType != "") {
			t.Errorf("summary of %+v: got %+v, error %v, want %d items", q, sum, err, want)
		}
		if q == (Query{From: from, To: to}) {
			if a, b := count(from, to, "a", "", ""), count(from, to, "b", "", ""); len(sum.Tags) != 2 || sum.Tags[0] != (TagCount{"a", a}) || sum.Tags[1] != (TagCount{"B", b}) {
				t.Errorf("got tags %v, want a %d, B %d", sum.Tags, a, b)
			}
		}
		if q.Sentiment != "" {
			continue
		}
		for _, size := range []time.Duration{time.Hour, 24 * time.Hour} {
			buckets, err := board.Series(t.Context(), q, size)
			total := 0
			for _, b := range buckets {
				n := count(maxTime(b.Start, from), minTime(b.Start.Add(size), to), q.Tag, q.SourceType, "")
				if got := b.Positive + b.Neutral + b.Negative; got != n {
					t.Errorf("series of %+v: got %d items from %s, want %d", q, got, b.Start, n)
				}
				total += n
			}
			if err != nil || total != want {
				t.Errorf("series of %+v by %s: got %d items, error %v, want %d", q, size, total, err, want)
			}
		}
	}

	for name, read := range map[string]func() error{
		"list": func() error { _, err := board.List(t.Context(), Listing{From: from, To: to, Limit: 1}); return err },
		"series of a sentiment": func() error {
			_, err := board.Series(t.Context(), Query{From: from, To: to, Sentiment: feed.Negative}, time.Hour)
			return err
		},
		"tag and source": func() error {
			_, err := board.Summary(t.Context(), Query{From: from, To: to, Tag: "a", SourceType: "rss"})
			return err
		},
	} {
		if err := read(); !errors.Is(err, ErrExpired) {
			t.Errorf("%s: got error %v, want ErrExpired", name, err)
		}
	}
	for name, q := range map[string]Query{
		"half hours": {From: from.Add(30 * time.Minute), To: to}, "half hour at the end": {From: from, To: to.Add(time.Minute)},
		"too old": {From: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -MaxDays-1), To: to},
	} {
		if _, err := board.Summary(t.Context(), q); !errors.Is(err, ErrWindow) {
			t.Errorf("%s: got error %v, want ErrWindow", name, err)
		}
	}

	// The window of 7 days after then has no items, and the one before it has.
	board.now = func() time.Time { return then.Add(MaxHours*time.Hour + 25*time.Minute) }
	sum, err := board.Summary(t.Context(), Query{Hours: MaxHours, Compare: true})
	want := Period{From: then.Add(-MaxHours * time.Hour), To: then}
	want.Total = count(want.From, want.To, "", "", "")
	if err != nil || sum.Before == nil || sum.Before.From != want.From || sum.Before.To != want.To || sum.Before.Total != want.Total || want.Total != len(items) {
		t.Errorf("got %+v before the window, error %v, want %+v", sum.Before, err, want)
	}
	if sum, err = board.Summary(t.Context(), Query{Hours: MaxHours, Compare: true, Tag: "a", SourceType: "rss"}); err != nil || sum.Before != nil {
		t.Errorf("got %+v before the window, error %v, want nothing: the rows have expired", sum.Before, err)
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// TestFoldedTagsCountAsOne: tags that differ in case or Unicode composition are counted as one, under the last spelling.
// Items keep theirs, and an item that has several counts once.
func TestFoldedTagsCountAsOne(t *testing.T) {
	db, _ := feedtest.Open(t)
	board := New(db, feedtest.Config())
	at := time.Now().Add(-2 * time.Hour).Truncate(time.Minute)
	var items []feed.Item
	for n, tags := range [][]string{{"ai", "Cafe\u0301"}, {"AI", "ai"}, {"Ai", "café"}, {"straße"}, {"STRASSE"}, {"AI"}} {
		item := feedtest.Submission(n, at.Add(time.Duration(n)*time.Minute), tags...).Item(at)
		item.Status, item.Sentiment, item.Score, item.AnalyzedAt = feed.Analyzed, feed.Positive, float64(n)/10, item.IngestedAt
		items = append(items, item)
		if err := board.Apply(t.Context(), Image{Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	deleted := false // the spelling may then be that of a deleted item
	check := func(want ...TagCount) {
		t.Helper()
		for _, q := range []Query{{Hours: 24}, {Hours: 24, SourceType: "reddit"}} { // from counters, and from rows
			sum, err := board.Summary(t.Context(), q)
			if err != nil || len(sum.Tags) != len(want) {
				t.Fatalf("%+v: got tags %v, error %v, want %v", q, sum.Tags, err, want)
			}
			for i, tag := range sum.Tags {
				if tag.Count != want[i].Count || tag.Tag != want[i].Tag && !deleted {
					t.Errorf("%+v: got tag %v, want %v", q, tag, want[i])
				}
			}
		}
	}
	check(TagCount{"AI", 4}, TagCount{"STRASSE", 2}, TagCount{"café", 2})
	for _, tag := range []string{"ai", "AI", "aI"} {
		for _, sentiment := range []string{"", feed.Positive} {
			page, err := board.List(t.Context(), Listing{Hours: 24, Tag: tag, Sentiment: sentiment, Limit: 10})
			var ids string
			for _, row := range page.Rows {
				ids += row.SourceID + " "
			}
			if err != nil || ids != "reddit#5 reddit#2 reddit#1 reddit#0 " {
				t.Errorf("list of %s %s: got %s, error %v, want the items 5, 2, 1 and 0", tag, sentiment, ids, err)
			}
			if err == nil && page.Rows[2].MatchedTags[0] != "AI" {
				t.Errorf("got tags %q, want them as given", page.Rows[2].MatchedTags)
			}
		}
		if sum, err := board.Summary(t.Context(), Query{Hours: 24, Tag: tag}); err != nil || sum.Total != 4 {
			t.Errorf("summary of %s: got %+v, error %v, want 4 items", tag, sum, err)
		}
	}
	sum, err := board.Summary(t.Context(), Query{From: at.Add(3 * time.Minute), To: at.Add(6 * time.Minute), Tag: "AI", Compare: true})
	if want := (Period{From: at.UTC(), To: at.Add(3 * time.Minute).UTC(), Total: 3, Sentiment: Counts{Positive: 3}}); err != nil || sum.Before == nil || *sum.Before != want || sum.Total != 1 {
		t.Errorf("got %+v, before it %+v, error %v, want 1 item and %+v", sum, sum.Before, err, want)
	}
	if err := board.Apply(t.Context(), Image{Item: items[5], Gone: true}, Image{Item: items[1], Gone: true}); err != nil {
		t.Fatal(err)
	}
	deleted = true
	check(TagCount{"AI", 2}, TagCount{"STRASSE", 2}, TagCount{"café", 2})
}

// TestArchivesAreListedButNotCounted: an item that is older than its source has rows, and no counter or total counts it.
func TestArchivesAreListedButNotCounted(t *testing.T) {
	db, _ := feedtest.Open(t)
	board := New(db, feedtest.Config())
	at := time.Now().Add(-2 * time.Hour).Truncate(time.Minute)
	for n := range 3 {
		s := feedtest.Submission(n, at.Add(time.Duration(n)*time.Second), "a")
		s.Sender, s.Metadata = feed.SourceSender("x"), map[string]any{feed.MetaArchive: n > 0}
		if n == 2 { // not from a source
			s.Sender = "ann"
		}
		item := s.Item(at)
		item.Status, item.Sentiment, item.AnalyzedAt = feed.Analyzed, feed.Neutral, item.IngestedAt
		if err := board.Apply(t.Context(), Image{Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := board.List(t.Context(), Listing{Hours: 24, Tag: "a", Limit: 10})
	if err != nil || len(page.Rows) != 3 {
		t.Fatalf("got %d rows, error %v, want 3", len(page.Rows), err)
	}
	for i, row := range page.Rows {
		if row.View().Archive != (i == 1) {
			t.Errorf("got %+v, want only item 1 marked as archive", row.View())
		}
	}
	for _, q := range []Query{{Hours: 24}, {Hours: 24, Tag: "a"}, {Hours: 24, Tag: "a", SourceType: "reddit"}, {Hours: 24, Sentiment: feed.Neutral}, {From: at, To: at.Add(time.Minute)}} {
		sum, err := board.Summary(t.Context(), q)
		if err != nil || sum.Total != 2 || len(sum.Tags) != 1 || sum.Tags[0] != (TagCount{"a", 2}) {
			t.Errorf("summary of %+v: got %+v, error %v, want 2 items with the tag a", q, sum, err)
		}
		series, err := board.Series(t.Context(), q, time.Hour)
		if err != nil || len(series) != 1 || series[0].Neutral != 2 {
			t.Errorf("series of %+v: got %+v, error %v, want 2 items", q, series, err)
		}
	}
}
