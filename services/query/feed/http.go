package feed

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/wait"
)

// Routes registers the calls that read the feed.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-feed-item", Method: http.MethodGet, Path: "/v1/feed/items/{sourceId}", Tags: []string{"feed"},
		Summary: "An item of the feed", Description: "Write the # of a source id as %23.",
	}, a.getItem)
	web.Register(r, huma.Operation{
		OperationID: "list-feed-items", Method: http.MethodGet, Path: "/v1/feed/items", Tags: []string{"feed"},
		Summary:     "Analyzed items of the last hours",
		Description: "Newest first; with a sentiment, the highest score first.",
	}, a.listItems)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-summary", Method: http.MethodGet, Path: "/v1/feed/summary", Tags: []string{"feed"},
		Summary: "Totals of the last hours",
	}, a.getSummary)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-series", Method: http.MethodGet, Path: "/v1/feed/series", Tags: []string{"feed"},
		Summary:     "Totals of the last hours, by time bucket",
		Description: "Oldest first, aligned to UTC. Buckets without items are omitted; the window may cover only a part of the first and the last.",
	}, a.getSeries)
	a.streamRoute(r)
}

type itemInput struct {
	SourceID string `path:"sourceId" maxLength:"256"`
	wait.Param
}

type itemOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         feed.ItemView
}

func (a *Area) getItem(ctx context.Context, in *itemInput) (*itemOutput, error) {
	item, err := wait.Read(ctx, a.waits, feed.Name, in.SourceID, in.Param, a.store.Get,
		feed.Item.Settled)
	if err != nil {
		return nil, problem(err)
	}
	return &itemOutput{CacheControl: "no-store", Body: item.View()}, nil
}

type listInput struct {
	Hours     int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"the length of the window that ends now"`
	Sentiment string `query:"sentiment" enum:"positive,neutral,negative"`
	Tag       string `query:"tag" maxLength:"50"`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor    string `query:"cursor" doc:"the nextCursor of the previous page"`
}

type feedList struct {
	Items      []feed.ItemView `json:"items" nullable:"false"`
	NextCursor string          `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

// output is a response that is kept in the cache.
type output[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         web.Encoded[T]
}

// ask serves a request from the cache, or reads.
func ask[T any](ctx context.Context, a *Area, q question, read func(context.Context) (web.Encoded[T], error)) (*output[T], error) {
	body, err := a.cache.answer(ctx, q, func(ctx context.Context) ([]byte, error) { return read(ctx) })
	if err != nil {
		return nil, problem(err)
	}
	return &output[T]{CacheControl: "no-store", Body: body}, nil
}

func (a *Area) listItems(ctx context.Context, in *listInput) (*output[feedList], error) {
	in.Tag = feed.Tag(in.Tag)
	q := question{call: "list", hours: in.Hours, sentiment: in.Sentiment, tag: in.Tag, limit: in.Limit, cursor: in.Cursor}
	return ask(ctx, a, q, func(ctx context.Context) (web.Encoded[feedList], error) {
		page, err := a.dashboard.List(ctx, dashboard.Listing{
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

type summaryInput struct {
	Hours int `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"the length of the window that ends now"`
}

func (a *Area) getSummary(ctx context.Context, in *summaryInput) (*output[dashboard.Summary], error) {
	return ask(ctx, a, question{call: "summary", hours: in.Hours}, func(ctx context.Context) (web.Encoded[dashboard.Summary], error) {
		summary, err := a.dashboard.Summary(ctx, in.Hours)
		if err != nil {
			return nil, err
		}
		return web.Encode(summary)
	})
}

// bucketSizes are the buckets of a series.
var bucketSizes = map[string]time.Duration{"1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour}

type seriesInput struct {
	Hours  int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"the length of the window that ends now"`
	Bucket string `query:"bucket" enum:"1m,5m,1h,1d" default:"1h"`
	Tag    string `query:"tag" maxLength:"50"`
}

type feedSeries struct {
	Buckets []dashboard.Bucket `json:"buckets" nullable:"false"`
}

func (a *Area) getSeries(ctx context.Context, in *seriesInput) (*output[feedSeries], error) {
	size := bucketSizes[in.Bucket]
	in.Tag = feed.Tag(in.Tag)
	q := question{call: "series", hours: in.Hours, bucket: size, tag: in.Tag}
	return ask(ctx, a, q, func(ctx context.Context) (web.Encoded[feedSeries], error) {
		buckets, err := a.dashboard.Series(ctx, in.Hours, size, in.Tag)
		if err != nil {
			return nil, err
		}
		return web.Encode(feedSeries{Buckets: buckets})
	})
}

// problem translates errors that a client can resolve.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("No feed item with this id.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	}
	return err
}
