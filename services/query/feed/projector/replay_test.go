package projector_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/feed/projector"
)

// posting is the test's own record of an item, independent of the tables.
type posting struct {
	id, sentiment string
	at            time.Time
	compound      float64
	tags          []string
	later         int  // number of tags, the last ones, that are added after the analysis
	gone          bool // deleted at the end
}

var replayTags = []string{"AI", "regulation", "europe", "c d", "é", "#", "markets"}

var replaySources = []string{"twitter", "newsapi", "rss"}

func (p posting) source() string {
	source, _, _ := strings.Cut(p.id, "#")
	return source
}

// generateDays returns n items from slightly more than three days in order of arrival. Most arrive in order of their times, but
// some are late by up to a day, some have the same millisecond as the previous item, and some are at midnight. No item is 70 to
// 72 hours older than end: it would leave a window of 72 hours while the list of the window is read.
func generateDays(n int, seed uint64, end time.Time) []posting {
	random := rand.New(rand.NewPCG(seed, seed))
	const days = 74 * time.Hour
	midnight := end.Truncate(24 * time.Hour)
	var all []posting
	for i := range n {
		// The rate varies with the hour.
		at := end.Add(-days).Add(time.Duration(float64(i)/float64(n)*float64(days)) + time.Duration(math.Sin(float64(i)/float64(n)*12)*float64(time.Hour)/4)).Truncate(time.Millisecond)
		at = minTime(at, end)
		switch {
		case i%50 == 1 && i > 0:
			at = all[i-1].at
		case i%500 == 2:
			at = midnight.Add(time.Duration(random.IntN(3)-1) * time.Millisecond)
		case i%20 == 3: // late
			at = maxTime(at.Add(-time.Duration(random.IntN(24*60))*time.Minute), end.Add(-days))
		}
		if age := end.Sub(at); age > 70*time.Hour && age <= 72*time.Hour {
			at = at.Add(-2 * time.Hour)
		}
		p := posting{id: replaySources[i%3] + "#" + strconv.Itoa(i), at: at, compound: math.Round((random.Float64()*2-1)*1e4) / 1e4, gone: i%200 == 7}
		switch {
		case p.compound >= 0.05:
			p.sentiment = feed.Positive
		case p.compound <= -0.05:
			p.sentiment = feed.Negative
		default:
			p.sentiment = feed.Neutral
		}
		p.tags = slices.Clone(replayTags)
		random.Shuffle(len(p.tags), func(i, j int) { p.tags[i], p.tags[j] = p.tags[j], p.tags[i] })
		p.tags = p.tags[:1+random.IntN(3)]
		if i%10 == 4 {
			p.later = len(p.tags) - 1
		}
		all = append(all, p)
	}
	for i := range all { // neighbors arrive in any order
		j := min(i+random.IntN(30), n-1)
		all[i], all[j] = all[j], all[i]
	}
	return all
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestReplayedDays replays three days of items, some of them late, repeated or deleted, while
// projectors are killed, two projectors share the work, requests fail, and the table is rebuilt
// once. It then compares all responses, including those of three replicas that do not project, with
// a count of the items. ASSAY_REPLAY_ITEMS is the number of items; see `make replay-feed`.
func TestReplayedDays(t *testing.T) {
	items := 300
	if given := os.Getenv("ASSAY_REPLAY_ITEMS"); given != "" {
		var err error
		if items, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t)
	// Half an hour from the edges of all windows that are requested.
	days := generateDays(items, 42, time.Now().UTC().Add(-30*time.Minute).Truncate(time.Millisecond))
	heal := b.faults.Add(dynamolite.Fault{Operation: "TransactWriteItems", Kind: dynamolite.ErrorAfter, Probability: 0.005, Seed: 5})
	defer heal()

	began := time.Now()
	asked := questions(began.UTC(), items > 300)
	var replicas []string
	for range 3 {
		replicas = append(replicas, startReplica(t, b))
		if err := count(nil).compareReplica(t.Context(), replicas[len(replicas)-1], asked[0]); err != nil { // fills the cache
			t.Fatal(err)
		}
	}
	var projectors killable
	projectors.start(t, b)
	projectors.start(t, b)
	for part := range slices.Chunk(days, items/3+1) {
		writers, ctx := errgroup.WithContext(t.Context())
		writers.SetLimit(16)
		for _, p := range part {
			writers.Go(func() error { return p.write(ctx, b.store) })
		}
		if err := writers.Wait(); err != nil {
			t.Fatal(err)
		}
		projectors.kill()
		projectors.start(t, b)
	}
	if _, err := b.dashboard.Rebuild(t.Context()); err != nil { // concurrently with the projectors
		t.Fatal(err)
	}
	for _, p := range days {
		if p.gone {
			b.remove(t, feed.Item{SourceID: p.id, IngestedAt: p.at.Format(feed.TimeLayout)})
		}
	}
	left := slices.DeleteFunc(days, func(p posting) bool { return p.gone })
	late, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(items)*20*time.Millisecond)
	defer cancel()
	agree := func(compare func() error) error {
		for {
			err := compare()
			if err == nil {
				return nil
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-late.Done():
				return err
			}
		}
	}
	if err := agree(func() error { return count(left).compare(t.Context(), b.dashboard) }); err != nil {
		t.Fatal(err)
	}
	var asking errgroup.Group
	for _, replica := range replicas {
		asking.Go(func() error {
			for _, q := range asked {
				if err := agree(func() error { return count(left).compareReplica(t.Context(), replica, q) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := asking.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d replicas responded to %d queries each", len(replicas), len(asked))
	t.Logf("%d items were projected and counted in %s", items, time.Since(began).Round(time.Millisecond))
	projectors.kill()
	projectors.kill()
	if done, err := b.dashboard.Rebuild(t.Context()); err != nil || done != (dashboard.Rebuilt{Items: int64(len(left))}) {
		t.Errorf("a rebuild of a correct table: got %+v, error %v, want only %d items checked", done, err, len(left))
	}
}

// write submits an item twice, analyzes it and adds its remaining tags.
func (p posting) write(ctx context.Context, store *feed.Store) error {
	first := p.tags[:len(p.tags)-p.later]
	item := feed.Submission{SourceID: p.id, SourceType: p.source(), Text: "text", MatchedTags: first, IngestedAt: p.at.Format(feed.TimeLayout)}.Item(p.at)
	stored, _, err := store.Create(ctx, item)
	if err != nil {
		return err
	}
	if _, created, err := store.Create(ctx, item); err != nil || created {
		return fmt.Errorf("create a duplicate of %s: got created %t, error %v, want false", p.id, created, err)
	}
	analyzed, err := store.Analyze(ctx, stored, feed.Analysis{
		Sentiment: p.sentiment, Score: 0.5 + math.Abs(p.compound)/2, Compound: p.compound, ModelVersion: "v1.0.0",
	})
	if err == nil {
		_, err = store.AddTags(ctx, analyzed, p.tags)
	}
	return err
}

var errKilled = errors.New("killed")

// killable contains projectors that can be stopped abruptly, like a killed process.
type killable struct{ kills []func() }

func (k *killable) start(t *testing.T, b *bench) {
	t.Helper()
	var dead atomic.Bool
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	base, at := tabletest.Base(), table.Config{Endpoint: aws.ToString(b.db.Options().BaseEndpoint)}
	base.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if dead.Load() {
			return nil, errKilled
		}
		answer, err := transport.RoundTrip(r)
		if err == nil && dead.Load() { // executed, but the response is lost
			return nil, errors.Join(errKilled, answer.Body.Close())
		}
		return answer, err
	})}
	p := projector.New(changes.Config{Poll: 5 * time.Millisecond, Lease: time.Second}, projector.Options{
		DB: table.Connect(base, at), Streams: table.ConnectStreams(base, at), Tables: b.tables, Platform: b.platform, Log: zerolog.Nop(), Registry: prometheus.NewRegistry(),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	k.kills = append(k.kills, func() {
		dead.Store(true)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// kill kills the oldest projector.
func (k *killable) kill() {
	k.kills[0]()
	k.kills = k.kills[1:]
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// count counts postings with plain loops.
type count []posting

// in returns the postings in a window that have a tag, or all if tag is empty.
func (c count) in(now time.Time, hours int, tag string) []posting {
	var found []posting
	for _, p := range c {
		if p.at.After(now.Add(-time.Duration(hours)*time.Hour)) && (tag == "" || slices.Contains(p.tags, tag)) {
			found = append(found, p)
		}
	}
	return found
}

func (c count) compare(ctx context.Context, d *dashboard.Dashboard) error {
	for _, hours := range []int{1, 3, 24, 168} {
		now := time.Now()
		summary, err := d.Summary(ctx, dashboard.Query{Hours: hours})
		if err != nil {
			return err
		}
		want := dashboard.Summary{
			Sentiment: sentiments(c.in(now, hours, "")), Total: len(c.in(now, hours, "")), UpdatedAt: summary.UpdatedAt,
			Rate: dashboard.Rate{LastHour: len(c.in(now, 1, "")), Last24h: len(c.in(now, 24, ""))}, Tags: []dashboard.TagCount{},
		}
		for _, tag := range replayTags {
			if n := len(c.in(now, hours, tag)); n > 0 {
				want.Tags = append(want.Tags, dashboard.TagCount{Tag: tag, Count: n})
			}
		}
		slices.SortFunc(want.Tags, func(a, b dashboard.TagCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Tag, b.Tag)) })
		if fmt.Sprint(summary) != fmt.Sprint(want) {
			return fmt.Errorf("summary of %d hours: got %+v, want %+v", hours, summary, want)
		}
		if err := c.compareFilters(ctx, d, now, hours); err != nil {
			return err
		}
		for _, tag := range []string{"", replayTags[0], "none"} {
			for _, size := range []time.Duration{time.Minute, 5 * time.Minute, time.Hour, 24 * time.Hour} {
				series, err := d.Series(ctx, dashboard.Query{Hours: hours, Tag: tag}, size)
				if err != nil {
					return err
				}
				if want := buckets(c.in(now, hours, tag), size); !slices.Equal(series, want) {
					return fmt.Errorf("series of %s, %d hours of %q: got %v, want %v", size, hours, tag, series, want)
				}
			}
			if err := c.compareList(ctx, d, now, hours, tag); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareFilters compares the totals and the newest items of combined filters.
func (c count) compareFilters(ctx context.Context, d *dashboard.Dashboard, now time.Time, hours int) error {
	for _, q := range []dashboard.Query{
		{SourceType: "rss"}, {SourceType: "twitter", Sentiment: feed.Negative}, {SourceType: "newsapi", Tag: replayTags[1]},
		{Tag: replayTags[2], Sentiment: feed.Positive}, {SourceType: "rss", Tag: replayTags[0], Sentiment: feed.Neutral},
	} {
		q.Hours = hours
		want := slices.DeleteFunc(c.in(now, hours, q.Tag), func(p posting) bool {
			return q.SourceType != "" && p.source() != q.SourceType || q.Sentiment != "" && p.sentiment != q.Sentiment
		})
		summary, err := d.Summary(ctx, q)
		if err != nil {
			return err
		}
		if summary.Total != len(want) || summary.Sentiment != sentiments(want) {
			return fmt.Errorf("summary of %+v: got %+v, want total %d and sentiments %v", q, summary, len(want), sentiments(want))
		}
		page, err := d.List(ctx, dashboard.Listing{Hours: hours, SourceType: q.SourceType, Sentiment: q.Sentiment, Tag: q.Tag, Limit: 1000})
		if err != nil {
			return err
		}
		if len(page.Rows) != min(len(want), 1000) {
			return fmt.Errorf("list of %+v: got %d items, want %d", q, len(page.Rows), min(len(want), 1000))
		}
	}
	return nil
}

// compareList compares the first pages of a list.
func (c count) compareList(ctx context.Context, d *dashboard.Dashboard, now time.Time, hours int, tag string) error {
	var got, want []string
	listing := dashboard.Listing{Hours: hours, Tag: tag, Limit: 100}
	for range 5 {
		page, err := d.List(ctx, listing)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			got = append(got, row.IngestedAt()+row.SourceID)
		}
		if listing.Cursor = page.NextCursor; listing.Cursor == "" {
			break
		}
	}
	for _, p := range c.in(now, hours, tag) {
		want = append(want, p.at.Format(feed.TimeLayout)+p.id)
	}
	slices.Sort(want)
	slices.Reverse(want)
	if want = want[:min(len(want), 500)]; !slices.Equal(got, want) {
		return fmt.Errorf("list of %d hours of %q: got %v, want %v", hours, tag, got, want)
	}
	return nil
}
