package find

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/wait"
)

// Service serves searches over all areas. It is safe for concurrent use.
type Service struct {
	waits *wait.Waits
	saved *saved.Searches
	names []string // of the areas, in alphabetical order
	areas map[string]Area
}

// New returns a service without areas.
func New(waits *wait.Waits, searches *saved.Searches) *Service {
	return &Service{waits: waits, saved: searches, areas: map[string]Area{}}
}

// Refusals are the problems of a search.
var Refusals = web.Refusals{http.StatusServiceUnavailable: {"index-not-ready"}, http.StatusUnprocessableEntity: {"search-syntax"}}

// Add adds an area. It must be called before routes are registered.
func (s *Service) Add(name string, a Area) {
	s.areas[name], s.names = a, append(s.names, name)
	slices.Sort(s.names)
}

// Routes registers the search.
func (s *Service) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "search", Method: http.MethodGet, Path: "/v1/search", Tags: []string{"search"},
		Summary: "Search the items of all areas",
		Description: "Returns what the caller may see: files and folders of the library, text files and photos that have ended, and analyzed feed " +
			"items of the last 7 days. The query has the syntax of the search of the library; in: finds nothing in other areas. " +
			"tag:budget restricts it to items with a tag of the caller, and a query of tags needs no word. " +
			"Hits with a word in the name or the properties come before those with words only in the text, whatever their area.",
	}, s.search, wait.Refusals, Refusals)
	s.savedRoutes(r)
}

type searchInput struct {
	web.CallerParam
	Query  string   `query:"q" required:"true" minLength:"1" maxLength:"500" example:"\"annual report\" 202* -draft"`
	Area   []string `query:"area" maxItems:"20" example:"library" doc:"names of areas, separated by commas; default: all"`
	Boxes  bool     `query:"boxes" doc:"add where words of the query are on the pages of the snippets, to the first 20 hits of the library"`
	Limit  int      `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string   `query:"cursor" maxLength:"2000" doc:"the nextCursor of the previous page"`
	After  string   `query:"after" maxLength:"300" example:"textfile/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11" doc:"area and id of an item, separated by a slash: waits up to 5 seconds for the search index to have its current state; without effect while it is being processed, or if the caller may not read it"`
}

type searchOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         foundItems
}

type foundItems struct {
	Hits       []foundItem        `json:"hits" nullable:"false" doc:"best first; may be fewer than limit, or none, even if there is a nextCursor"`
	Areas      map[string]matches `json:"areas" nullable:"false" doc:"by the name of the area"`
	NextCursor string             `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

type matches struct {
	Total          int  `json:"total" doc:"number of hits on all pages"`
	TotalIsMinimum bool `json:"totalIsMinimum,omitempty" doc:"true if more than 10,000 items match; only 10,000 were considered"`
}

type foundItem struct {
	Area      string           `json:"area" example:"library"`
	ID        string           `json:"id"`
	Name      string           `json:"name" doc:"of a feed item: the beginning of its text"`
	URL       string           `json:"url" example:"/v1/files/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11" doc:"of the item in this API"`
	Status    string           `json:"status" example:"COMPLETED" doc:"state of the item in its area"`
	CreatedAt time.Time        `json:"createdAt"`
	Score     float64          `json:"score" doc:"higher is better; comparable within one response"`
	Snippets  []search.Snippet `json:"snippets" nullable:"false"`
	TextCut   string           `json:"textCut,omitempty" doc:"why only a part of the text is searched"`
}

func (s *Service) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	q, err := queryOf(in.Query, in.Caller)
	if err != nil {
		return nil, Problem(err)
	}
	q.Boxes, q.Limit = in.Boxes, in.Limit
	names, err := s.chosen(in.Area)
	if err != nil {
		return nil, err
	}
	if err := s.fresh(ctx, in.After, in.Caller); err != nil {
		return nil, Problem(err)
	}
	at, err := readCursor(in.Cursor, names)
	if err != nil {
		return nil, Problem(err)
	}
	pages, err := s.pages(ctx, q, in.Caller, at)
	if err != nil {
		return nil, Problem(err)
	}
	hits, next := merge(pages, in.Limit, at)
	out := &searchOutput{CacheControl: "no-store", Body: foundItems{Hits: make([]foundItem, len(hits)), Areas: map[string]matches{}, NextCursor: next.String()}}
	for i, h := range hits {
		out.Body.Hits[i] = foundItem{
			h.area, h.ID, h.Name, h.URL, h.Status, h.Created, h.Score, append([]search.Snippet{}, h.Snippets...), h.Cut,
		}
	}
	for name, page := range pages {
		out.Body.Areas[name] = matches{page.Total, page.More}
	}
	return out, nil
}

// chosen returns the names of the areas to search, in alphabetical order.
func (s *Service) chosen(names []string) ([]string, error) {
	if len(names) == 0 {
		return s.names, nil
	}
	for _, name := range names {
		if s.areas[name] == nil {
			return nil, web.Invalid(web.FieldError{Field: "query.area", Message: "must be one or more of " + strings.Join(s.names, ", ")})
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names))), nil
}

// fresh waits until the index has the item that a request names as area/id.
func (s *Service) fresh(ctx context.Context, after string, c web.Caller) error {
	if after == "" {
		return nil
	}
	name, id, _ := strings.Cut(after, "/")
	if s.areas[name] == nil || id == "" {
		return web.Invalid(web.FieldError{Field: "query.after", Message: "must be an area and an id, separated by a slash"})
	}
	leave, err := s.waits.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.areas[name].Indexed(ctx, id, c)
}

// Problem converts an error of a search into an HTTP problem. It returns other errors unchanged.
func Problem(err error) error {
	syntax, wrong := errors.AsType[*search.SyntaxError](err)
	switch {
	case wrong:
		p := web.NewProblem(http.StatusUnprocessableEntity, "search-syntax", "The query is invalid; see errors.")
		p.Errors = []web.FieldError{{Field: "query.q", Message: syntax.Error()}}
		return p
	case errors.Is(err, search.ErrCursor):
		return web.InvalidCursor()
	case errors.Is(err, search.ErrNotReady):
		return web.NewProblem(http.StatusServiceUnavailable, "index-not-ready",
			"The search index is being built, or does not yet have the change given in after. Repeat the request.").WithHeader("Retry-After", "1")
	}
	return err
}
