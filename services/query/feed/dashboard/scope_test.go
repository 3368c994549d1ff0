package dashboard

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

// TestScopes compares the counts and the rows of each scope with plain loops over the same items, some of which were deleted.
func TestScopes(t *testing.T) {
	db, _ := feedtest.Open(t)
	board := New(db, feedtest.Config())
	random := rand.New(rand.NewPCG(4, 1))
	start := time.Now().UTC().Truncate(24 * time.Hour).Add(-30 * time.Hour)
	var items []feed.Item
	for n := range 300 {
		at := start.Add(time.Duration(random.IntN(5*60))*time.Minute + time.Duration(n)*time.Millisecond)
		item := feedtest.Submission(n, at, []string{"Ai", "b"}[random.IntN(2)]).Item(at)
		item.Status, item.Sentiment, item.AnalyzedAt = feed.Analyzed, []string{feed.Positive, feed.Neutral, feed.Negative}[random.IntN(3)], item.IngestedAt
		if n%3 > 0 {
			item.SourceType, item.Sender = "rss", feed.SourceSender([]string{"one", "two"}[n%3-1])
		}
		if n%20 == 1 {
			item.Metadata = map[string]any{feed.MetaArchive: true}
		}
		images := []Image{{Item: item}}
		if n%10 == 2 {
			images = append(images, Image{Item: item, Gone: true})
		} else if !item.Archive() {
			items = append(items, item)
		}
		for _, image := range images {
			if err := board.Apply(t.Context(), image); err != nil {
				t.Fatal(err)
			}
		}
	}
	from, to := start.Add(70*time.Minute), start.Add(250*time.Minute)
	for scope, has := range map[Scope]func(feed.Item) bool{
		{}:                  func(feed.Item) bool { return true },
		{Tag: "AI"}:         func(i feed.Item) bool { return i.MatchedTags[0] == "Ai" },
		{SourceType: "rss"}: func(i feed.Item) bool { return i.SourceType == "rss" },
		{Source: "two"}:     func(i feed.Item) bool { return i.Sender == feed.SourceSender("two") },
		{Source: "none"}:    func(feed.Item) bool { return false },
	} {
		minutes, hours := map[time.Time]int{}, map[time.Time]int{}
		var rows []string
		for _, i := range items {
			at, err := i.Ingested()
			if err != nil {
				t.Fatal(err)
			}
			if has(i) {
				minutes[at.Truncate(time.Minute)]++
				hours[at.Truncate(time.Hour)]++
				if !at.Before(from) && at.Before(to) {
					rows = append(rows, i.IngestedAt+i.SourceID)
				}
			}
		}
		var stretches []Stretch
		for hour := range 3 {
			stretches = append(stretches, Stretch{Scope: scope, Hour: start.Add(time.Duration(hour) * time.Hour)})
		}
		found, err := board.Minutes(t.Context(), stretches)
		n := 0
		for _, stretch := range stretches {
			for minute, c := range found[stretch] {
				if got := c.Positive + c.Neutral + c.Negative; got != minutes[minute] {
					t.Errorf("%+v: got %d items in the minute %s, want %d", scope, got, minute, minutes[minute])
				}
				n += minutes[minute]
			}
		}
		byHour, hoursErr := board.Hours(t.Context(), scope, start, start.Add(3*time.Hour))
		want := 0
		for hour := range 3 {
			c, at := byHour[stretches[hour].Hour], hours[stretches[hour].Hour]
			if got := c.Positive + c.Neutral + c.Negative; got != at {
				t.Errorf("%+v: got %d items in the hour %d, want %d", scope, got, hour, at)
			}
			want += at
		}
		if err != nil || hoursErr != nil || n != want || len(byHour) > 3 {
			t.Errorf("%+v: got %d items in minutes, errors %v and %v, want %d", scope, n, err, hoursErr, want)
		}
		var got []string
		err = board.Visit(t.Context(), scope, from, to, func(row Row) bool {
			got = append(got, row.IngestedAt()+row.SourceID)
			return true
		})
		slices.Sort(rows)
		slices.Reverse(rows)
		if err != nil || !slices.Equal(got, rows) {
			t.Errorf("%+v: got the rows %v, error %v, want %v", scope, got, err, rows)
		}
	}
	var corrected atomic.Int64
	if err := board.recount(t.Context(), &corrected); err != nil || corrected.Load() != 0 {
		t.Errorf("a recount corrected %d counters, error %v, want 0", corrected.Load(), err)
	}
}
