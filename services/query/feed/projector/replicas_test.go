package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/config"
	feeditems "github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/feed"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
	"github.com/assay-project/assay/services/query/wait"
)

// startReplica serves the feed over HTTP, with the default settings but without projecting. It returns the
// URL of the server.
func startReplica(t *testing.T, b *bench) string {
	t.Helper()
	cfg, err := config.Load[feed.Config](nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Tables, cfg.Platform = b.tables, b.platform
	registry := prometheus.NewRegistry()
	hub := live.New(live.Config{}, live.Options{Log: zerolog.Nop(), Registry: registry})
	area, err := feed.New(cfg, &backend.Connections{DB: b.db, Streams: b.streams}, hub, wait.New(wait.Config{}, hub), search.Indexes{At: sqlite.At}, nil, zerolog.Nop(), registry)
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter(web.Options{})
	area.Routes(router)
	server := httptest.NewServer(router)
	t.Cleanup(func() {
		server.Close()
		area.Close()
	})
	return server.URL
}

// question selects items from a replica.
type question struct {
	hours                  int
	from, to               time.Time // used if hours is 0
	source, tag, sentiment string
}

// questions combines all filters with the last three days and with a window that ends earlier; wide
// adds more combinations.
func questions(now time.Time, wide bool) (all []question) {
	sources, tags := []string{"", replaySources[0], replaySources[2]}, []string{"", replayTags[0]}
	if wide {
		sources, tags = append([]string{""}, replaySources...), append([]string{""}, replayTags...)
	}
	for _, source := range sources {
		for _, tag := range tags {
			for _, sentiment := range []string{"", feeditems.Positive, feeditems.Neutral, feeditems.Negative} {
				all = append(all, question{hours: 72, source: source, tag: tag, sentiment: sentiment}, question{
					from: now.Add(-60 * time.Hour).Truncate(time.Minute), to: now.Add(-3 * time.Hour).Truncate(time.Minute),
					source: source, tag: tag, sentiment: sentiment,
				})
			}
		}
	}
	return all
}

func (q question) values() url.Values {
	values := url.Values{"sourceType": {q.source}, "tag": {q.tag}, "sentiment": {q.sentiment}}
	for name, value := range values {
		if value[0] == "" {
			values.Del(name)
		}
	}
	if q.hours > 0 {
		values.Set("hours", strconv.Itoa(q.hours))
	} else {
		values.Set("from", q.from.Format(time.RFC3339))
		values.Set("to", q.to.Format(time.RFC3339))
	}
	return values
}

// selected returns the postings that a question selects.
func (c count) selected(q question, now time.Time) []posting {
	hours := q.hours
	if hours == 0 {
		hours = dashboard.MaxHours
	}
	return slices.DeleteFunc(c.in(now, hours, q.tag), func(p posting) bool {
		return q.source != "" && p.source() != q.source || q.sentiment != "" && p.sentiment != q.sentiment ||
			q.hours == 0 && (p.at.Before(q.from) || !p.at.Before(q.to))
	})
}

// compareReplica compares a replica's summary, series and complete list for a question with the postings.
func (c count) compareReplica(ctx context.Context, replica string, q question) error {
	want := c.selected(q, time.Now())
	values := q.values()
	var summary dashboard.Summary
	if err := get(ctx, replica+"/v1/feed/summary?"+values.Encode(), &summary); err != nil {
		return err
	}
	if summary.Total != len(want) || summary.Sentiment != sentiments(want) {
		return fmt.Errorf("the summary of %v is %d, %+v; want %d, %+v", values, summary.Total, summary.Sentiment, len(want), sentiments(want))
	}
	var series struct{ Buckets []dashboard.Bucket }
	values.Set("bucket", "1h")
	if err := get(ctx, replica+"/v1/feed/series?"+values.Encode(), &series); err != nil {
		return err
	}
	if got, want := fmt.Sprint(series.Buckets), fmt.Sprint(buckets(want, time.Hour)); got != want {
		return fmt.Errorf("the series of %v is %s, want %s", values, got, want)
	}
	values.Del("bucket")
	values.Set("limit", "1000")
	var got, ids []string
	for _, p := range want {
		ids = append(ids, p.id)
	}
	for {
		var page struct {
			Items      []feeditems.ItemView
			NextCursor string
		}
		if err := get(ctx, replica+"/v1/feed/items?"+values.Encode(), &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			got = append(got, item.SourceID)
		}
		if page.NextCursor == "" {
			break
		}
		values.Set("cursor", page.NextCursor)
	}
	slices.Sort(got)
	if slices.Sort(ids); !slices.Equal(got, ids) {
		return fmt.Errorf("the list of %v is %q, want %q", values, got, ids)
	}
	return nil
}

// get requests address and decodes the JSON response.
func get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", address, resp.Status, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func sentiments(postings []posting) (n dashboard.Counts) {
	for _, p := range postings {
		switch p.sentiment {
		case feeditems.Positive:
			n.Positive++
		case feeditems.Neutral:
			n.Neutral++
		case feeditems.Negative:
			n.Negative++
		}
	}
	return n
}

func buckets(postings []posting, size time.Duration) []dashboard.Bucket {
	parts := map[time.Time][]posting{}
	for _, p := range postings {
		start := p.at.Truncate(size)
		parts[start] = append(parts[start], p)
	}
	all := []dashboard.Bucket{}
	for _, start := range slices.SortedFunc(maps.Keys(parts), time.Time.Compare) {
		sum := 0 // in units of 0.0001
		for _, p := range parts[start] {
			sum += int(math.Round(p.compound * 1e4))
		}
		average := math.Round(float64(sum)/float64(len(parts[start]))) / 1e4
		all = append(all, dashboard.Bucket{Start: start, Counts: sentiments(parts[start]), AverageCompound: average})
	}
	return all
}
