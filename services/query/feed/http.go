package feed

import (
	"context"
	"errors"
	"fmt"
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
		Summary: "Get a feed item", Description: "Encode the # in a source id as %23.",
	}, a.getItem, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "list-feed-items", Method: http.MethodGet, Path: "/v1/feed/items", Tags: []string{"feed"},
		Summary:     "List the analyzed items in a window",
		Description: "Newest first; if a sentiment is given, highest score first.",
	}, a.listItems, tooLarge)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-summary", Method: http.MethodGet, Path: "/v1/feed/summary", Tags: []string{"feed"},
		Summary: "Get the totals of a window",
	}, a.getSummary, tooLarge)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-series", Method: http.MethodGet, Path: "/v1/feed/series", Tags: []string{"feed"},
		Summary:     "Get the totals of a window by time bucket",
		Description: "Oldest first, aligned to UTC. Buckets without items are omitted. The first and the last bucket may extend beyond the window.",
	}, a.getSeries, tooLarge)
	a.streamRoute(r)
	a.alertRoutes(r)
}

// tooLarge lists the problem of a window that contains too many items for the filters.
var tooLarge = web.Refusals{http.StatusUnprocessableEntity: {"window-too-large"}}

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

// Selection contains the parameters that select items. They can be combined.
type Selection struct {
	Hours      int       `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"the length of the window that ends now; ignored if from is set"`
	From       time.Time `query:"from" doc:"the start of the window: a whole minute within the last 168 hours or, for totals and series, a whole hour within the last 400 days" example:"2026-11-20T12:00:00Z"`
	To         time.Time `query:"to" doc:"the exclusive end of the window, a whole minute, or a whole hour if from is more than 168 hours ago; default: now" example:"2026-11-20T13:30:00Z"`
	SourceType string    `query:"sourceType" enum:"newsapi,twitter,reddit,rss"`
	Sentiment  string    `query:"sentiment" enum:"positive,neutral,negative"`
	Tag        string    `query:"tag" maxLength:"50" doc:"items with this tag, regardless of case and Unicode composition"`
}

func (s Selection) query() dashboard.Query {
	q := dashboard.Query{Hours: s.Hours, From: s.From, To: s.To, SourceType: s.SourceType, Tag: feed.FoldTag(feed.Tag(s.Tag)), Sentiment: s.Sentiment}
	if !q.From.IsZero() || !q.To.IsZero() {
		q.Hours = 0
	}
	return q
}

type listInput struct {
	Selection
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor string `query:"cursor" doc:"the nextCursor of the previous page"`
}

type feedList struct {
	Items      []feed.ItemView `json:"items"`
	NextCursor string          `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

// output is an encoded response.
type output[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         web.Encoded[T]
}

// ask serves a request from the cache, or else reads the response.
func ask[T any](ctx context.Context, a *Area, q question, read func(context.Context) (web.Encoded[T], error)) (*output[T], error) {
	body, err := a.cache.answer(ctx, q, func(ctx context.Context) ([]byte, error) { return read(ctx) })
	if err != nil {
		return nil, problem(err)
	}
	return &output[T]{CacheControl: "no-store", Body: body}, nil
}

func (a *Area) listItems(ctx context.Context, in *listInput) (*output[feedList], error) {
	q := in.query()
	asked := question{call: "list", query: q, limit: in.Limit, cursor: in.Cursor}
	return ask(ctx, a, asked, func(ctx context.Context) (web.Encoded[feedList], error) {
		page, err := a.dashboard.List(ctx, dashboard.Listing{
			Hours: q.Hours, From: q.From, To: q.To, SourceType: q.SourceType, Sentiment: q.Sentiment, Tag: q.Tag, Limit: in.Limit, Cursor: in.Cursor,
		})
		if err != nil {
			return nil, err
		}
		return web.Encode(feedList{Items: web.Views(page.Rows, dashboard.Row.View), NextCursor: page.NextCursor})
	})
}

type summaryInput struct {
	Selection
	Compare  bool `query:"compare" doc:"also count the period of the same length before the window"`
	TagLimit int  `query:"tagLimit" minimum:"1" maximum:"1000" default:"100" doc:"maximum number of tags to return, most frequent first"`
}

func (a *Area) getSummary(ctx context.Context, in *summaryInput) (*output[dashboard.Summary], error) {
	q := in.query()
	q.Compare = in.Compare
	return ask(ctx, a, question{call: "summary", query: q, limit: in.TagLimit}, func(ctx context.Context) (web.Encoded[dashboard.Summary], error) {
		summary, err := a.dashboard.Summary(ctx, q)
		if err != nil {
			return nil, err
		}
		summary.Tags = summary.Tags[:min(len(summary.Tags), in.TagLimit)]
		return web.Encode(summary)
	})
}

// bucketSizes maps the bucket sizes that a request can name to their durations.
var bucketSizes = map[string]time.Duration{"1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour}

type seriesInput struct {
	Selection
	Bucket string `query:"bucket" enum:"1m,5m,1h,1d" default:"1h"`
}

type feedSeries struct {
	Buckets []dashboard.Bucket `json:"buckets"`
}

func (a *Area) getSeries(ctx context.Context, in *seriesInput) (*output[feedSeries], error) {
	size := bucketSizes[in.Bucket]
	q := in.query()
	return ask(ctx, a, question{call: "series", query: q, bucket: size}, func(ctx context.Context) (web.Encoded[feedSeries], error) {
		buckets, err := a.dashboard.Series(ctx, q, size)
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
		return web.NotFound("There is no feed item with this id.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	case errors.Is(err, dashboard.ErrWindow):
		return web.Invalid(web.FieldError{Field: "query.from", Message: fmt.Sprintf("from and to must be whole minutes within the last %d hours, or whole hours within the last %d days, from before to", dashboard.MaxHours, dashboard.MaxDays)})
	case errors.Is(err, dashboard.ErrExpired):
		return web.Invalid(web.FieldError{Field: "query.from", Message: fmt.Sprintf("is more than %d hours ago: only summaries, and series without a sentiment, of all items, one tag or one source type reach back further", dashboard.MaxHours)})
	case errors.Is(err, dashboard.ErrTooMany):
		return web.NewProblem(http.StatusUnprocessableEntity, "window-too-large",
			fmt.Sprintf("More than %d items of this window would have to be read. Choose a shorter window, or fewer filters.", dashboard.MaxRows))
	}
	return err
}
