package library

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

func (a *Area) sharedRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-shared", Method: http.MethodGet, Path: "/v1/library/nodes/shared", Tags: []string{tag},
		Summary: "List the nodes that others share with the caller", Description: "A shared folder is one entry, without its content. Read from the search index, newest first by default.",
	}, a.listShared, owned, indexed, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "list-library-public", Method: http.MethodGet, Path: "/v1/library/nodes/public", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "List public nodes", Description: "A public folder is one entry, without its content. Read from the search index, newest first by default.",
	}, a.listPublic, indexed, wait.Refusals)
}

// SortParam sorts a list. Embed it in the input of a call. Sorted lists are read from the search index.
type SortParam struct {
	Sort string `query:"sort" maxLength:"60" example:"name,-size" doc:"up to three of name, size, createdAt and updatedAt, each with a leading minus for descending order; names are compared without case and accents, and numbers in them by value"`
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
	if err := a.fresh(ctx, s.FreshParam, c); err != nil {
		return nil, problem(err)
	}
	l.Limit, l.Cursor = int(p.Limit), p.Cursor
	page, err := a.searcher.List(ctx, l)
	if err != nil {
		return nil, problem(err)
	}
	nodes, err := a.seen(ctx, page.IDs, c)
	if err != nil {
		return nil, problem(err)
	}
	listed := library.NodePage{NextCursor: page.Next}
	for _, id := range page.IDs {
		if n, ok := nodes[id]; ok && (l.Parent == "" || n.ParentID == l.Parent) {
			listed.Nodes = append(listed.Nodes, n)
		}
	}
	return a.list(ctx, listed, c)
}

// fromIndex reports whether a list is read from the index instead of the tables.
func (s SortParam) fromIndex() bool { return s.Sort != "" || s.After != "" }

type sharedInput struct {
	web.CallerParam
	PageParam
	SortParam
	Type   string `query:"type" enum:"Folder,File,Record,Model"`
	Status string `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
}

func (a *Area) listShared(ctx context.Context, in *sharedInput) (*listOutput, error) {
	if in.Caller.Owner == "" {
		return nil, problem(errNoOwner)
	}
	c := libraryCaller(in.Caller)
	return a.sorted(ctx, in.PageParam, in.SortParam, in.listing(search.Shared{Owner: c.Owner, Groups: c.Groups}), c)
}

func (a *Area) listPublic(ctx context.Context, in *sharedInput) (*listOutput, error) {
	return a.sorted(ctx, in.PageParam, in.SortParam, in.listing(search.Shared{Public: true}), libraryCaller(in.Caller))
}

func (in *sharedInput) listing(s search.Shared) search.Listing {
	return search.Listing{Shared: &s, Kind: in.Type, Status: in.Status}
}
