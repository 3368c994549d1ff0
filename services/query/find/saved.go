package find

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
)

// savedRoutes registers the calls that read saved searches.
func (s *Service) savedRoutes(r *web.Router) {
	const group, path = "search", "/v1/searches"
	missing := web.Refusals{http.StatusNotFound: {"not-found"}}
	web.Register(r, huma.Operation{
		OperationID: "list-searches", Method: http.MethodGet, Path: path, Tags: []string{group}, Summary: "List the caller's saved searches, by name",
	}, s.listSaved, saved.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "get-search", Method: http.MethodGet, Path: path + "/{name}", Tags: []string{group}, Summary: "Get a saved search",
	}, s.getSaved, saved.Refusals, missing)
	web.Register(r, huma.Operation{
		OperationID: "run-search", Method: http.MethodGet, Path: path + "/{name}/hits", Tags: []string{group}, Summary: "Run a saved search",
		Description: "Returns what GET /v1/search returns for the query and the areas of the search. A cursor is valid until the search changes.",
	}, s.runSaved, saved.Refusals, missing, Refusals)
}

type listSavedInput struct{ web.CallerParam }

type listSavedOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         savedSearches
}

type savedSearches struct {
	Searches []saved.SavedSearch `json:"searches" nullable:"false" doc:"by name"`
}

func (s *Service) listSaved(ctx context.Context, in *listSavedInput) (*listSavedOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	all, err := s.saved.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	return &listSavedOutput{CacheControl: "no-store", Body: savedSearches{web.Views(all, saved.Search.View)}}, nil
}

type getSavedInput struct{ saved.Named }

type getSavedOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         saved.SavedSearch
}

func (s *Service) getSaved(ctx context.Context, in *getSavedInput) (*getSavedOutput, error) {
	one, err := s.named(ctx, in.Named)
	if err != nil {
		return nil, err
	}
	return &getSavedOutput{CacheControl: "no-store", Body: one.View()}, nil
}

// named returns the search that a request names, or a problem.
func (s *Service) named(ctx context.Context, n saved.Named) (saved.Search, error) {
	owner, err := saved.Owner(n.Caller)
	if err != nil {
		return saved.Search{}, err
	}
	return s.Saved(ctx, owner, n.Name)
}

// Saved returns a search of an owner, or a problem if there is none with the name.
func (s *Service) Saved(ctx context.Context, owner, name string) (saved.Search, error) {
	one, err := s.saved.Get(ctx, owner, name)
	if errors.Is(err, saved.ErrNotFound) {
		err = web.NotFound("You have no saved search with this name.")
	}
	return one, err
}

type runSavedInput struct {
	saved.Named
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string `query:"cursor" maxLength:"2000" doc:"the nextCursor of the previous page"`
}

func (s *Service) runSaved(ctx context.Context, in *runSavedInput) (*searchOutput, error) {
	one, err := s.named(ctx, in.Named)
	if err != nil {
		return nil, err
	}
	return s.search(ctx, &searchInput{CallerParam: in.CallerParam, Query: one.Query, Area: one.Areas, Limit: in.Limit, Cursor: in.Cursor})
}
