package query

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table/dax"
	"github.com/assay-project/assay/pkg/web"
)

// feedItems answers questions about the feed: single items from the primary
// table, everything else from the dashboard table.
type feedItems struct {
	store     *feed.Store
	dashboard *feed.Dashboard
	bus       *bus.Bus
	cache     *feedCache
	dax       *dax.Reader // nil where there is no cluster
}

func newFeedItems(cfg Config, engines *engine.Engines, log zerolog.Logger) (*feedItems, error) {
	cache, err := newFeedCache(cfg.FeedCache)
	if err != nil {
		return nil, err
	}
	f := &feedItems{
		store: feed.NewStore(engines.DB, cfg.Feed), dashboard: feed.NewDashboard(engines.DB, cfg.Feed), bus: engines.Bus,
		cache: cache,
	}
	if cfg.DAX.Endpoint == "" {
		return f, nil
	}
	if f.dax, err = dax.Connect(engines.AWS, cfg.DAX, engines.DB, log); err != nil {
		cache.close()
		return nil, err
	}
	f.dashboard = f.dashboard.Through(f.dax)
	return f, nil
}

// close ends what the reads leave running. No read may be in hand.
func (f *feedItems) close() {
	f.cache.close()
	if f.dax != nil {
		f.dax.Close()
	}
}

// routes registers the feed calls that read.
func (f *feedItems) routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-feed-item", Method: http.MethodGet, Path: "/v1/feed/items/{sourceId}", Tags: []string{"feed"},
		Summary: "An item of the feed", Description: "The # of a source id is written %23 in an address.",
	}, f.getItem)
	web.Register(r, huma.Operation{
		OperationID: "list-feed-items", Method: http.MethodGet, Path: "/v1/feed/items", Tags: []string{"feed"},
		Summary:     "Analyzed items of the last hours",
		Description: "Newest first; with a sentiment, the highest score first.",
	}, f.listItems)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-summary", Method: http.MethodGet, Path: "/v1/feed/summary", Tags: []string{"feed"},
		Summary: "The last hours in numbers",
	}, f.getSummary)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-series", Method: http.MethodGet, Path: "/v1/feed/series", Tags: []string{"feed"},
		Summary:     "The last hours in buckets of time",
		Description: "Oldest first, aligned to UTC. Buckets without items are left out; the first and the last may be cut by the window.",
	}, f.getSeries)
}

type feedItemInput struct {
	SourceID string `path:"sourceId" maxLength:"256"`
	Wait     string `query:"wait" example:"30s" doc:"hold the answer until the item is analyzed or given up, or until this time is up; at most 60s"`
}

type feedItemOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         feed.ItemView
}

func (f *feedItems) getItem(ctx context.Context, in *feedItemInput) (*feedItemOutput, error) {
	item, err := read(ctx, f.bus, event.AreaFeed, in.SourceID, in.Wait, f.store.Get,
		feed.Item.Settled)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, web.NotFound("There is no item of this source id.")
	}
	if err != nil {
		return nil, err
	}
	return &feedItemOutput{CacheControl: "no-store", Body: item.View()}, nil
}

// About what a row, and a count of a tag or a bucket, take in memory.
const (
	rowBytes   = 1000
	countBytes = 100
)

type feedListInput struct {
	Hours     int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
	Sentiment string `query:"sentiment" enum:"positive,neutral,negative"`
	Tag       string `query:"tag" maxLength:"50"`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor    string `query:"cursor" doc:"the nextCursor of the page before"`
}

type feedListOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Items      []feed.ItemView `json:"items" nullable:"false"`
		NextCursor string          `json:"nextCursor,omitempty" doc:"absent on the last page"`
	}
}

func (f *feedItems) listItems(ctx context.Context, in *feedListInput) (*feedListOutput, error) {
	q := question{call: "list", hours: in.Hours, sentiment: in.Sentiment, tag: in.Tag, limit: in.Limit, cursor: in.Cursor}
	page, err := cached(ctx, f.cache, q, func(p feed.Page) int { return 100 + rowBytes*len(p.Rows) },
		func(ctx context.Context) (feed.Page, error) {
			return f.dashboard.List(ctx, feed.Listing{
				Hours: in.Hours, Sentiment: in.Sentiment, Tag: in.Tag, Limit: in.Limit, Cursor: in.Cursor,
			})
		})
	if err != nil {
		return nil, problem(err)
	}
	out := &feedListOutput{CacheControl: "no-store"}
	out.Body.Items = make([]feed.ItemView, len(page.Rows))
	for i, row := range page.Rows {
		out.Body.Items[i] = row.View()
	}
	out.Body.NextCursor = page.NextCursor
	return out, nil
}

type feedSummaryInput struct {
	Hours int `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
}

type feedSummaryOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         feed.Summary
}

func (f *feedItems) getSummary(ctx context.Context, in *feedSummaryInput) (*feedSummaryOutput, error) {
	summary, err := cached(ctx, f.cache, question{call: "summary", hours: in.Hours},
		func(s feed.Summary) int { return countBytes * (1 + len(s.Tags)) },
		func(ctx context.Context) (feed.Summary, error) { return f.dashboard.Summary(ctx, in.Hours) })
	if err != nil {
		return nil, err
	}
	return &feedSummaryOutput{CacheControl: "no-store", Body: summary}, nil
}

// bucketSizes are the buckets of a series.
var bucketSizes = map[string]time.Duration{"1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour}

type feedSeriesInput struct {
	Hours  int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
	Bucket string `query:"bucket" enum:"1m,5m,1h,1d" default:"1h"`
	Tag    string `query:"tag" maxLength:"50"`
}

type feedSeriesOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Buckets []feed.Bucket `json:"buckets" nullable:"false"`
	}
}

func (f *feedItems) getSeries(ctx context.Context, in *feedSeriesInput) (*feedSeriesOutput, error) {
	size := bucketSizes[in.Bucket]
	buckets, err := cached(ctx, f.cache, question{call: "series", hours: in.Hours, bucket: size, tag: in.Tag},
		func(b []feed.Bucket) int { return countBytes * (1 + len(b)) },
		func(ctx context.Context) ([]feed.Bucket, error) {
			return f.dashboard.Series(ctx, in.Hours, size, in.Tag)
		})
	if err != nil {
		return nil, err
	}
	out := &feedSeriesOutput{CacheControl: "no-store"}
	out.Body.Buckets = buckets
	return out, nil
}
