package library

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

func (a *Area) listRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-children", Method: http.MethodGet, Path: "/v1/library/nodes/{id}/children", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "List the content of a folder, newest first or sorted", Description: "Sorted lists and lists with the parameter after are read from the search index.",
	}, a.listChildren, linked, ofNode, indexed, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "list-library-nodes", Method: http.MethodGet, Path: "/v1/library/nodes", Tags: []string{tag},
		Summary:     "List the caller's nodes of one type, newest first or sorted",
		Description: "Excludes the trash. Sorted lists and lists with the parameter after are read from the search index.",
	}, a.listByType, owned, indexed, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "list-library-trash", Method: http.MethodGet, Path: "/v1/library/nodes/trash", Tags: []string{tag},
		Summary: "List the caller's trash, newest first", Description: "A trashed folder is one entry, without its content.",
	}, a.listTrash, owned)
}

// PageParam selects a page. Embed it in the input of a call.
type PageParam struct {
	Limit  int32  `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor" doc:"the nextCursor of the previous page"`
}

func (p PageParam) listing() library.Listing {
	return library.Listing{Limit: p.Limit, Cursor: p.Cursor}
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         nodeList
}

type nodeList struct {
	Nodes      []library.NodeView `json:"nodes" doc:"may be fewer than limit, or none, even if there is a nextCursor"`
	NextCursor string             `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

// list returns a page as the caller may see it, with the reasons why files are not completely processed.
func (a *Area) list(ctx context.Context, page library.NodePage, c library.Caller) (*listOutput, error) {
	reasons, err := a.store.Reasons(ctx, page.Nodes...)
	if err != nil {
		return nil, problem(err)
	}
	views := web.Views(page.Nodes, func(n library.Node) library.NodeView {
		v := n.View(c)
		v.ErrorMessage = reasons[n.ID]
		return v
	})
	return &listOutput{CacheControl: noStore, Body: nodeList{Nodes: views, NextCursor: page.NextCursor}}, nil
}

type childrenInput struct {
	web.IDParam
	ReaderParam
	PageParam
	SortParam
	Type   string `query:"type" enum:"Folder,File,Record,Model"`
	Status string `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
}

func (a *Area) listChildren(ctx context.Context, in *childrenInput) (*listOutput, error) {
	_, c, err := a.readable(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	if in.fromIndex() {
		return a.sorted(ctx, in.PageParam, in.SortParam, search.Listing{Parent: in.ID, Kind: in.Type, Status: in.Status}, c)
	}
	l := in.listing()
	l.Type, l.Status = library.Kind(in.Type), lifecycle.State(in.Status)
	page, err := a.store.Children(ctx, in.ID, l)
	if err != nil {
		return nil, problem(err)
	}
	return a.list(ctx, page, c)
}

type byTypeInput struct {
	web.CallerParam
	PageParam
	SortParam
	Type   string `query:"type" required:"true" enum:"Folder,File,Record,Model"`
	Status string `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
}

func (a *Area) listByType(ctx context.Context, in *byTypeInput) (*listOutput, error) {
	if in.Caller.Owner == "" {
		return nil, problem(errNoOwner)
	}
	if in.fromIndex() {
		l := search.Listing{Owner: in.Caller.Owner, Kind: in.Type, Status: in.Status}
		return a.sorted(ctx, in.PageParam, in.SortParam, l, libraryCaller(in.Caller))
	}
	l := in.listing()
	l.Status = lifecycle.State(in.Status)
	page, err := a.store.ByType(ctx, library.Kind(in.Type), in.Caller.Owner, l)
	if err == nil {
		page.Nodes, err = a.store.Visible(ctx, page.Nodes)
	}
	if err != nil {
		return nil, problem(err)
	}
	return a.list(ctx, page, libraryCaller(in.Caller))
}

type trashInput struct {
	web.CallerParam
	PageParam
}

func (a *Area) listTrash(ctx context.Context, in *trashInput) (*listOutput, error) {
	if in.Caller.Owner == "" {
		return nil, problem(errNoOwner)
	}
	page, err := a.store.TrashList(ctx, in.Caller.Owner, in.listing())
	if err != nil {
		return nil, problem(err)
	}
	return a.list(ctx, page, libraryCaller(in.Caller))
}
