package library

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/library/search"
)

func (a *Area) sharedRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-shared", Method: http.MethodGet, Path: "/v1/library/nodes/shared", Tags: []string{tag},
		Summary: "What others share with the caller", Description: "Of a folder, without what is in it. From the search index, newest first unless sorted.",
	}, a.listShared, owned, indexed)
	web.Register(r, huma.Operation{
		OperationID: "list-library-public", Method: http.MethodGet, Path: "/v1/library/nodes/public", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "What is public", Description: "Of a folder, without what is in it. From the search index, newest first unless sorted.",
	}, a.listPublic, indexed)
}

// SortParam sorts a list: embed it in the input. The search index has the sorted lists.
type SortParam struct {
	Sort string `query:"sort" maxLength:"60" example:"name,-size" doc:"up to three of name, size, createdAt and updatedAt, each with a minus before it to reverse it; names without case and accents"`
	FreshParam
}

// sorted reads a page of a list from the index.
func (a *Area) sorted(ctx context.Context, p PageParam, s SortParam, l search.Listing, c library.Caller) (*listOutput, error) {
	if s.Sort != "" {
		keys, err := search.ParseSort(s.Sort)
		if err != nil {
			return nil, web.Invalid(web.FieldError{Field: "query.sort", Message: err.Error()})
		}
		l.Sort = keys
	}
	if err := a.fresh(ctx, s.FreshParam); err != nil {
		return nil, problem(err)
	}
	l.Limit, l.Cursor = int(p.Limit), p.Cursor
	page, err := a.searcher.List(ctx, l, c)
	if err != nil {
		return nil, problem(err)
	}
	return list(page, c), nil
}

// fromIndex reports whether a list is one of the index, and not of the tables.
func (s SortParam) fromIndex() bool { return s.Sort != "" || s.After != "" }

type sharedInput struct {
	web.CallerParam
	PageParam
	SortParam
	Type   string `query:"type" enum:"Folder,File,Record"`
	Status string `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
}

func (a *Area) listShared(ctx context.Context, in *sharedInput) (*listOutput, error) {
	if in.Caller.Owner == "" {
		return nil, problem(errNoOwner)
	}
	c := of(in.Caller)
	return a.sorted(ctx, in.PageParam, in.SortParam, in.listing(search.Shared{Owner: c.Owner, Groups: c.Groups}), c)
}

func (a *Area) listPublic(ctx context.Context, in *sharedInput) (*listOutput, error) {
	return a.sorted(ctx, in.PageParam, in.SortParam, in.listing(search.Shared{Public: true}), of(in.Caller))
}

func (in *sharedInput) listing(s search.Shared) search.Listing {
	return search.Listing{Shared: &s, Kind: library.Kind(in.Type), Status: lifecycle.State(in.Status)}
}
