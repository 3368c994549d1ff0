// Package linecount serves reads of line counts.
package linecount

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

// Area reads line counts.
type Area struct {
	store *linecount.Store
	waits *wait.Waits
}

// New returns the area for open backends.
func New(cfg linecount.Config, backends *backend.Connections, waits *wait.Waits) *Area {
	return &Area{linecount.NewStore(backends.DB, cfg), waits}
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Routes registers the calls that read line counts.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-line-count", Method: http.MethodGet, Path: "/v1/linecounts/{id}", Tags: []string{"linecounts"},
		Summary: "Get a line count",
	}, a.get, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "list-line-counts", Method: http.MethodGet, Path: "/v1/owners/{ownerId}/linecounts", Tags: []string{"linecounts"},
		Summary: "List an owner's line counts, newest first",
	}, a.list)
}

type getInput struct {
	web.IDParam
	web.CallerParam
	wait.Param
}

type output struct {
	CacheControl string `header:"Cache-Control"`
	Body         linecount.LineCount
}

func (a *Area) get(ctx context.Context, in *getInput) (*output, error) {
	item, err := wait.Read(ctx, a.waits, linecount.Name, in.ID, in.Param, func(ctx context.Context, id string) (linecount.Item, error) {
		item, err := a.store.Get(ctx, id)
		if err == nil && item.OwnerID != in.Caller.Owner {
			err = lifecycle.ErrNotFound
		}
		return item, err
	}, func(i linecount.Item) bool { ended, _ := i.Ended(); return ended })
	if err != nil {
		return nil, problem(err)
	}
	return &output{"no-store", item.View()}, nil
}

type listInput struct {
	web.CallerParam
	OwnerID string `path:"ownerId"`
	Limit   int32  `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor  string `query:"cursor" doc:"the nextCursor of the previous page"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         lineCounts
}

type lineCounts struct {
	LineCounts []linecount.LineCount `json:"lineCounts"`
	NextCursor string                `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

func (a *Area) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if err := in.Caller.ActFor(in.OwnerID, "path.ownerId"); err != nil {
		return nil, err
	}
	items, next, err := a.store.List(ctx, in.OwnerID, in.Limit, in.Cursor)
	if err != nil {
		return nil, problem(err)
	}
	return &listOutput{"no-store", lineCounts{web.Views(items, linecount.Item.View), next}}, nil
}

// problem translates errors that a client can resolve.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no line count with this id.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	}
	return err
}
