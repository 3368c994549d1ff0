package library

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/library/search"
)

func (a *Area) searchRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "search-library", Method: http.MethodGet, Path: "/v1/library/search", Tags: []string{tag},
		Summary: "Find folders and files by the words of their names and texts",
		Description: "Finds what the caller may read: its own nodes, those that are shared with it, and public ones; not what is in the trash. " +
			"The best hits come first, and words of a name count more than those of a text. A query has words that must all be there, " +
			"\"words in this order\", the beginning of a word with an asterisk such as rep*, and a minus before what must be absent. " +
			"Case and accents do not matter. The first mebibyte of a text is searched.",
	}, a.search, indexed, web.Refusals{http.StatusNotFound: {"not-found"}, http.StatusUnprocessableEntity: {"search-syntax"}})
}

// FreshParam waits for a change: embed it in the input of a call that the search index answers.
type FreshParam struct {
	After string `query:"after" example:"01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11:3" maxLength:"60" doc:"the id of a node, a colon and its version, as in the response to a change: waits up to 5 seconds until the search index has it"`
}

// fresh waits for the version that a request names.
func (a *Area) fresh(ctx context.Context, p FreshParam) error {
	if p.After == "" {
		return nil
	}
	id, number, found := strings.Cut(p.After, ":")
	node, err := uuid.Parse(id)
	version, notNumber := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || notNumber != nil || version < 0 {
		return web.Invalid(web.FieldError{Field: "query.after", Message: "expected the id of a node, a colon and its version"})
	}
	return a.searcher.Await(ctx, search.Version{NodeID: node.String(), Version: version})
}

type searchInput struct {
	web.CallerParam
	FreshParam
	Query    string    `query:"q" required:"true" minLength:"1" maxLength:"500" example:"\"annual report\" 202* -draft"`
	Type     string    `query:"type" enum:"Folder,File,Record"`
	Format   string    `query:"format" maxLength:"10" example:"pdf" doc:"the ending of the names of files, in lower case"`
	ParentID string    `query:"parentId" format:"uuid" doc:"a folder: only what is in it or below it"`
	Status   string    `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
	From     time.Time `query:"from" doc:"created then or later"`
	To       time.Time `query:"to" doc:"created before"`
	Limit    int       `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor   string    `query:"cursor" maxLength:"200" doc:"the nextCursor of the previous page"`
}

type searchOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         searchResult
}

type searchResult struct {
	Hits           []searchHit   `json:"hits" nullable:"false" doc:"the best first; may be fewer than limit, or none, while there is a nextCursor"`
	Facets         search.Facets `json:"facets"`
	Total          int           `json:"total" doc:"hits on all pages"`
	TotalIsMinimum bool          `json:"totalIsMinimum,omitempty" doc:"more than 10,000 nodes have the words: only so many were looked at, the caller's own first"`
	NextCursor     string        `json:"nextCursor,omitempty" doc:"absent on the last page"`
	IndexedVersion uint64        `json:"indexedVersion" doc:"grows with every change of a node that the search index has"`
}

type searchHit struct {
	Node     library.NodeView `json:"node"`
	Score    float64          `json:"score" doc:"higher is better; comparable within one response"`
	Snippets []search.Snippet `json:"snippets" nullable:"false"`
}

func (a *Area) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	terms, err := search.Parse(in.Query)
	if err != nil {
		return nil, problem(err)
	}
	c := of(in.Caller)
	if in.ParentID != "" {
		if _, err := a.store.Readable(ctx, in.ParentID, c); err != nil {
			return nil, problem(err)
		}
	}
	if err := a.fresh(ctx, in.FreshParam); err != nil {
		return nil, problem(err)
	}
	found, result, err := a.searcher.Search(ctx, search.Query{
		Caller: c, Terms: terms, Limit: in.Limit, Cursor: in.Cursor,
		Filter: search.Filter{
			Kind: library.Kind(in.Type), Format: strings.ToLower(in.Format), Status: lifecycle.State(in.Status), Below: in.ParentID, From: in.From, To: in.To,
		},
	})
	if err != nil {
		return nil, problem(err)
	}
	out := &searchOutput{CacheControl: noStore, Body: searchResult{
		Hits: make([]searchHit, len(found)), Facets: result.Facets, Total: result.Total, TotalIsMinimum: result.More,
		NextCursor: result.Next, IndexedVersion: result.Sequence,
	}}
	for i, f := range found {
		out.Body.Hits[i] = searchHit{f.Node.View(c), f.Score, append([]search.Snippet{}, f.Snippets...)}
	}
	return out, nil
}

// searchProblem returns the problem of an error of a search, nil for others.
func searchProblem(err error) error {
	syntax, wrong := errors.AsType[*search.SyntaxError](err)
	switch {
	case wrong:
		p := web.NewProblem(http.StatusUnprocessableEntity, "search-syntax", "The query cannot be understood; see errors.")
		p.Errors = []web.FieldError{{Field: "query.q", Message: syntax.Error()}}
		return p
	case errors.Is(err, search.ErrCursor):
		return web.InvalidCursor()
	case errors.Is(err, search.ErrNotReady):
		return web.NewProblem(http.StatusServiceUnavailable, "index-not-ready",
			"The search index is being built, or does not have the change of the parameter after yet. Repeat the request.").WithHeader("Retry-After", "1")
	}
	return nil
}
