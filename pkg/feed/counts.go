package feed

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Counts are how many items have each sentiment.
type Counts struct {
	Positive int `json:"positive"`
	Neutral  int `json:"neutral"`
	Negative int `json:"negative"`
}

func (c *Counts) add(sentiment string) {
	switch sentiment {
	case Positive:
		c.Positive++
	case Negative:
		c.Negative++
	default:
		c.Neutral++
	}
}

// TagCount is a tag and how many items matched it.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// Rate is how many items came in.
type Rate struct {
	LastHour int `json:"lastHour"`
	Last24h  int `json:"last24h"`
}

// Summary is the analyzed items of the last hours in numbers.
type Summary struct {
	Total     int        `json:"total"`
	Sentiment Counts     `json:"sentiment"`
	Tags      []TagCount `json:"tags" nullable:"false" doc:"the most frequent first; equal counts by name"`
	Rate      Rate       `json:"rate" doc:"analyzed items by the time they came in, whatever the hours asked for"`
	UpdatedAt time.Time  `json:"updatedAt" doc:"when this was counted"`
}

// Summary counts the items of the last hours, 1 to MaxHours. It reads each of
// them, those of a day in one request a megabyte.
func (d *Dashboard) Summary(ctx context.Context, hours int) (Summary, error) {
	sum := Summary{Tags: []TagCount{}, UpdatedAt: d.now().UTC()}
	asked, hour, today := d.window(hours).since(), d.window(1).since(), d.window(24).since()
	tags := map[string]int{}
	err := d.eachOf(ctx, d.window(max(hours, 24)).spans(), []string{"sentiment", matchedTags, ingestedAt}, func(row Row) {
		if row.SortKey >= hour {
			sum.Rate.LastHour++
		}
		if row.SortKey >= today {
			sum.Rate.Last24h++
		}
		if row.SortKey < asked {
			return
		}
		sum.Total++
		sum.Sentiment.add(row.Sentiment)
		for _, tag := range row.MatchedTags {
			tags[tag]++
		}
	})
	for tag, count := range tags {
		sum.Tags = append(sum.Tags, TagCount{tag, count})
	}
	slices.SortFunc(sum.Tags, func(a, b TagCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Tag, b.Tag)) })
	return sum, err
}

// Bucket is a stretch of a time series.
type Bucket struct {
	Start time.Time `json:"start"`
	Counts
	AverageCompound float64 `json:"averageCompound" doc:"to 4 decimals"`
}

// Series counts the items of the last hours, 1 to MaxHours, of one tag or of all,
// in buckets of UTC, the oldest first. Buckets without items are left out; the
// first and the last may be cut by the window.
func (d *Dashboard) Series(ctx context.Context, hours int, size time.Duration, tag string) ([]Bucket, error) {
	spans := d.window(hours).spans()
	if tag != "" {
		spans = []span{d.window(hours).tagged(tag)}
	}
	type sums struct {
		Counts
		compound int64 // in units of 0.0001, which sum without an error
	}
	found := map[int64]*sums{}
	var unreadable error
	err := d.eachOf(ctx, spans, []string{"sentiment", "compound", ingestedAt}, func(row Row) {
		at, err := time.Parse(TimeLayout, row.IngestedAt())
		if err != nil {
			unreadable = err
			return
		}
		start := at.Truncate(size).Unix()
		if found[start] == nil {
			found[start] = &sums{}
		}
		found[start].add(row.Sentiment)
		found[start].compound += int64(math.Round(row.Compound * 1e4))
	})
	if err != nil || unreadable != nil {
		return nil, cmp.Or(err, unreadable)
	}
	buckets := make([]Bucket, 0, len(found))
	for start, s := range found {
		items := s.Positive + s.Neutral + s.Negative
		buckets = append(buckets, Bucket{
			Start: time.Unix(start, 0).UTC(), Counts: s.Counts,
			AverageCompound: math.Round(float64(s.compound)/float64(items)) / 1e4,
		})
	}
	slices.SortFunc(buckets, func(a, b Bucket) int { return a.Start.Compare(b.Start) })
	return buckets, nil
}

// eachOf reads spans side by side and calls see with one row at a time.
func (d *Dashboard) eachOf(ctx context.Context, spans []span, attributes []string, see func(Row)) error {
	var one sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range spans {
		s.attributes = attributes
		group.Go(func() error {
			return d.each(ctx, s, func(row Row) bool {
				one.Lock()
				defer one.Unlock()
				see(row)
				return true
			})
		})
	}
	return group.Wait()
}
