package library

import (
	"cmp"
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
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

func (a *Area) searchRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "search-library", Method: http.MethodGet, Path: "/v1/library/search", Tags: []string{tag},
		Summary: "Search folders and files by the words in their names, properties and texts",
		Description: "Returns nodes that the caller may read: its own, those shared with it, and public ones, but not the trash. " +
			"The properties of a file are its title, authors, subject, keywords and the names of attached files. The best hits come first: " +
			"those with a word in the name or the properties before those with words only in the text. A query consists of words that must all " +
			"occur, in any of their forms, \"quoted phrases\", prefixes with an asterisk such as rep*, and excluded words with a leading minus; AND, OR and NOT are " +
			"words like others. If few nodes match, words with typing errors do too. Case and accents are ignored. A query without letters and digits finds nothing. " +
			"The fields name:, text:, title:, author:, subject:, keyword: and attachment: restrict a word or a phrase, such as title:\"annual report\", " +
			"and the filters type:, in:, before:, after: and size: restrict the nodes, such as type:pdf in:/Reports before:2026-07 size:>10MB. " +
			"tag:budget restricts them to files with a tag of the caller, and -tag:budget to those without it; a query of tags needs no word.",
	}, a.search, indexed, wait.Refusals, web.Refusals{http.StatusNotFound: {"not-found"}, http.StatusUnprocessableEntity: {"search-syntax"}})
}

// FreshParam names a change that the search index must have applied before it is read. Embed it in the input of a call
// that reads the search index.
type FreshParam struct {
	After string `query:"after" example:"01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11:3" maxLength:"60" doc:"node id and version, separated by a colon, from the response to a change: waits up to 5 seconds for the search index to have this version; without effect for a node that does not exist or that the caller may not read"`
}

// fresh waits for the version that a request names. It does not wait for a node that the caller may not read, which it
// cannot distinguish from one that does not exist, nor for version 0, which is that of a root that is not stored.
func (a *Area) fresh(ctx context.Context, p FreshParam, c library.Caller) error {
	if p.After == "" {
		return nil
	}
	id, number, found := strings.Cut(p.After, ":")
	node, err := uuid.Parse(id)
	version, notNumber := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || notNumber != nil || version < 0 {
		return web.Invalid(web.FieldError{Field: "query.after", Message: "must be a node id and version, separated by a colon"})
	}
	_, err = a.store.Readable(ctx, node.String(), c)
	switch {
	case version == 0 || errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	leave, err := a.waits.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return a.searcher.Await(ctx, search.Version{ID: node.String(), Version: version})
}

type searchInput struct {
	web.CallerParam
	FreshParam
	Query    string    `query:"q" required:"true" minLength:"1" maxLength:"500" example:"\"annual report\" 202* -draft"`
	Type     string    `query:"type" enum:"Folder,File,Record,Model"`
	Format   string    `query:"format" maxLength:"11" example:"pdf" doc:"file name extension, with or without its dot"`
	ParentID string    `query:"parentId" format:"uuid" doc:"id of a folder: search only below it"`
	Status   string    `query:"status" enum:"Created,Loading,Loaded,Parsing,Parsed,Processing,Processed,ProcessedPartially,Failed"`
	From     time.Time `query:"from" doc:"created at or after this time"`
	To       time.Time `query:"to" doc:"created before this time"`
	Boxes    bool      `query:"boxes" doc:"add where words of the query are on the pages of the snippets, to the first 20 hits"`
	Limit    int       `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor   string    `query:"cursor" maxLength:"200" doc:"the nextCursor of the previous page"`
}

// filter returns the filter of the query with that of the parameters. Each of them must be specified once.
func (in *searchInput) filter(f search.Filter) (search.Filter, error) {
	var twice []web.FieldError
	both := func(parameter, name string, given, also bool) {
		if given && also {
			twice = append(twice, web.FieldError{Field: "query." + parameter, Message: "the query also has " + name + ": specify one of them"})
		}
	}
	both("type", "type:", in.Type != "", f.Kind != "")
	both("format", "type:", in.Format != "", f.Format != "")
	both("parentId", "in:", in.ParentID != "", f.In != "")
	both("from", "after:", !in.From.IsZero(), !f.From.IsZero())
	both("to", "before:", !in.To.IsZero(), !f.To.IsZero())
	if twice != nil {
		return f, web.Invalid(twice...)
	}
	f.Kind = cmp.Or(f.Kind, in.Type)
	f.Format = cmp.Or(f.Format, strings.ToLower(strings.TrimPrefix(in.Format, ".")))
	f.Status, f.Below = in.Status, in.ParentID
	f.From, f.To = cmp.Or(f.From, in.From), cmp.Or(f.To, in.To)
	return f, nil
}

type searchOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         searchResult
}

type searchResult struct {
	Hits           []searchHit   `json:"hits" nullable:"false" doc:"best first; may be fewer than limit, or none, even if there is a nextCursor"`
	Facets         search.Facets `json:"facets"`
	Total          int           `json:"total" doc:"number of hits on all pages"`
	TotalIsMinimum bool          `json:"totalIsMinimum,omitempty" doc:"true if more than 10,000 nodes match; only 10,000 were considered, the caller's own first"`
	NextCursor     string        `json:"nextCursor,omitempty" doc:"absent on the last page"`
	IndexedVersion uint64        `json:"indexedVersion" doc:"increases with every node change that the search index has applied"`
}

type searchHit struct {
	Node     library.NodeView `json:"node"`
	Score    float64          `json:"score" doc:"higher is better; comparable within one response"`
	Snippets []search.Snippet `json:"snippets" nullable:"false"`
	TextCut  string           `json:"textCut,omitempty" doc:"why only a part of the text of the file is searched"`
}

func (a *Area) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	parsed, err := terms.Parse(in.Query)
	if err != nil {
		return nil, problem(err)
	}
	filter, err := in.filter(parsed.Filter)
	if err != nil {
		return nil, err
	}
	c := libraryCaller(in.Caller)
	if in.ParentID != "" {
		if _, err := a.store.Readable(ctx, in.ParentID, c); err != nil {
			return nil, problem(err)
		}
	}
	if err := a.fresh(ctx, in.FreshParam, c); err != nil {
		return nil, problem(err)
	}
	found, result, err := a.find(ctx, search.Query{Terms: parsed.Terms, Tags: parsed.Tags, Boxes: in.Boxes, Limit: in.Limit, Cursor: in.Cursor, Filter: filter}, c)
	if err != nil {
		return nil, problem(err)
	}
	out := &searchOutput{CacheControl: noStore, Body: searchResult{
		Hits: make([]searchHit, len(found)), Facets: result.Facets, Total: result.Total, TotalIsMinimum: result.More,
		NextCursor: result.Next, IndexedVersion: result.Sequence,
	}}
	for i, f := range found {
		out.Body.Hits[i] = searchHit{f.Node.View(c), f.Score, append([]search.Snippet{}, f.Snippets...), f.Cut}
	}
	return out, nil
}
