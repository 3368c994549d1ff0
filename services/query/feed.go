package query

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/feed/dax"
)

// feedItems answers questions about the feed: single items from the primary
// table, everything else from the dashboard table.
type feedItems struct {
	store     *feed.Store
	dashboard *dashboard.Dashboard
	waits     *waits
	cache     *feedCache
	dax       *dax.Reader // nil where there is no cluster
}

func newFeedItems(cfg Config, engines *engine.Engines, held *waits, log zerolog.Logger) (*feedItems, error) {
	cache, err := newFeedCache(cfg.FeedCache)
	if err != nil {
		return nil, err
	}
	f := &feedItems{
		store: feed.NewStore(engines.DB, cfg.Feed), dashboard: dashboard.New(engines.DB, cfg.Feed), waits: held,
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
	WaitParam
}

type feedItemOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         feed.ItemView
}

func (f *feedItems) getItem(ctx context.Context, in *feedItemInput) (*feedItemOutput, error) {
	item, err := read(ctx, f.waits, event.AreaFeed, in.SourceID, &in.WaitParam, f.store.Get,
		feed.Item.Settled)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, web.NotFound("There is no item of this source id.")
	}
	if err != nil {
		return nil, err
	}
	return &feedItemOutput{CacheControl: "no-store", Body: item.View()}, nil
}

type feedListInput struct {
	Hours     int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
	Sentiment string `query:"sentiment" enum:"positive,neutral,negative"`
	Tag       string `query:"tag" maxLength:"50"`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor    string `query:"cursor" doc:"the nextCursor of the page before"`
}

type feedList struct {
	Items      []feed.ItemView `json:"items" nullable:"false"`
	NextCursor string          `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

// feedOutput is an answer that is kept in the cache.
type feedOutput[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         web.Encoded[T]
}

// ask answers a question from the cache, or reads.
func ask[T any](ctx context.Context, f *feedItems, q question, read func(context.Context) (web.Encoded[T], error)) (*feedOutput[T], error) {
	body, err := f.cache.answer(ctx, q, func(ctx context.Context) ([]byte, error) { return read(ctx) })
	if err != nil {
		return nil, problem(err)
	}
	return &feedOutput[T]{CacheControl: "no-store", Body: body}, nil
}

func (f *feedItems) listItems(ctx context.Context, in *feedListInput) (*feedOutput[feedList], error) {
	q := question{call: "list", hours: in.Hours, sentiment: in.Sentiment, tag: in.Tag, limit: in.Limit, cursor: in.Cursor}
	return ask(ctx, f, q, func(ctx context.Context) (web.Encoded[feedList], error) {
		page, err := f.dashboard.List(ctx, dashboard.Listing{
			Hours: in.Hours, Sentiment: in.Sentiment, Tag: in.Tag, Limit: in.Limit, Cursor: in.Cursor,
		})
		if err != nil {
			return nil, err
		}
		list := feedList{Items: make([]feed.ItemView, len(page.Rows)), NextCursor: page.NextCursor}
		for i, row := range page.Rows {
			list.Items[i] = row.View()
		}
		return web.Encode(list)
	})
}

type feedSummaryInput struct {
	Hours int `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
}

func (f *feedItems) getSummary(ctx context.Context, in *feedSummaryInput) (*feedOutput[dashboard.Summary], error) {
	return ask(ctx, f, question{call: "summary", hours: in.Hours}, func(ctx context.Context) (web.Encoded[dashboard.Summary], error) {
		summary, err := f.dashboard.Summary(ctx, in.Hours)
		if err != nil {
			return nil, err
		}
		return web.Encode(summary)
	})
}

// bucketSizes are the buckets of a series.
var bucketSizes = map[string]time.Duration{"1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour}

type feedSeriesInput struct {
	Hours  int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"how far back to look"`
	Bucket string `query:"bucket" enum:"1m,5m,1h,1d" default:"1h"`
	Tag    string `query:"tag" maxLength:"50"`
}

type feedSeries struct {
	Buckets []dashboard.Bucket `json:"buckets" nullable:"false"`
}

func (f *feedItems) getSeries(ctx context.Context, in *feedSeriesInput) (*feedOutput[feedSeries], error) {
	size := bucketSizes[in.Bucket]
	q := question{call: "series", hours: in.Hours, bucket: size, tag: in.Tag}
	return ask(ctx, f, q, func(ctx context.Context) (web.Encoded[feedSeries], error) {
		buckets, err := f.dashboard.Series(ctx, in.Hours, size, in.Tag)
		return encodeSeries(buckets), err
	})
}

// bucketBytes is about what the JSON of a bucket takes.
const bucketBytes = 100

// encodeSeries is what web.Encode does, in a tenth of its time: a week in minutes
// is a megabyte.
func encodeSeries(buckets []dashboard.Bucket) web.Encoded[feedSeries] {
	body := append(make([]byte, 0, bucketBytes*(1+len(buckets))), `{"buckets":[`...)
	for i, b := range buckets {
		if i > 0 {
			body = append(body, ',')
		}
		body = b.AppendJSON(body)
	}
	return append(body, "]}\n"...)
}
