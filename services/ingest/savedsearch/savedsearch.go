// Package savedsearch serves the calls that save and delete searches. Package find of query serves the reads.
package savedsearch

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
)

// Service saves searches. It is safe for concurrent use.
type Service struct {
	searches *saved.Searches
	areas    []string
}

// New returns the service. areas are the names of the areas of the product.
func New(searches *saved.Searches, areas []string) *Service {
	return &Service{searches, slices.Sorted(slices.Values(areas))}
}

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	const group, path = "search", "/v1/searches/{name}"
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[saved.SavedSearch](), true, "")
	web.Register(r, huma.Operation{
		OperationID: "put-search", Method: http.MethodPut, Path: path, Tags: []string{group}, Summary: "Save a search",
		Description: "Only the caller sees the search, of which it can save 100. GET /v1/searches/{name}/hits runs it. Replaces the search with this name: 201 means that there was none.",
		Responses:   map[string]*huma.Response{"201": {Description: "Created", Content: map[string]*huma.MediaType{"application/json": {Schema: view}}}},
	}, s.put, saved.Refusals, web.Refusals{http.StatusConflict: {"too-many-searches"}, http.StatusUnprocessableEntity: {"search-syntax"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-search", Method: http.MethodDelete, Path: path, Tags: []string{group}, Summary: "Delete a saved search",
		Description: "Succeeds if there is none with this name.", DefaultStatus: http.StatusNoContent,
	}, s.delete, saved.Refusals)
}

type putInput struct {
	saved.Named
	Body newSavedSearch
}

type newSavedSearch struct {
	Query string   `json:"q" minLength:"1" maxLength:"500" example:"budget tag:2026" doc:"as in GET /v1/search"`
	Areas []string `json:"areas,omitempty" maxItems:"20" doc:"names of areas; default: all"`
}

type putOutput struct {
	Status int
	Body   saved.SavedSearch
}

func (s *Service) put(ctx context.Context, in *putInput) (*putOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	if _, err := terms.Parse(in.Body.Query); err != nil {
		return nil, syntax(err)
	}
	areas := slices.Compact(slices.Sorted(slices.Values(in.Body.Areas)))
	for _, name := range areas {
		if !slices.Contains(s.areas, name) {
			return nil, web.Invalid(web.FieldError{Field: "body.areas", Message: "must be one or more of " + strings.Join(s.areas, ", ")})
		}
	}
	stored, isNew, err := s.searches.Put(ctx, owner, saved.Search{Name: in.Name, Query: in.Body.Query, Areas: areas})
	if errors.Is(err, saved.ErrSearches) {
		return nil, web.NewProblem(http.StatusConflict, "too-many-searches", "You have "+strconv.Itoa(saved.MaxSearches)+" saved searches, the maximum. Delete one first.")
	}
	if err != nil {
		return nil, err
	}
	out := &putOutput{http.StatusOK, stored.View()}
	if isNew {
		out.Status = http.StatusCreated
	}
	return out, nil
}

// syntax returns the problem of an invalid query.
func syntax(err error) error {
	p := web.NewProblem(http.StatusUnprocessableEntity, "search-syntax", "The query is invalid; see errors.")
	p.Errors = []web.FieldError{{Field: "body.q", Message: err.Error()}}
	return p
}

type deleteInput struct{ saved.Named }

func (s *Service) delete(ctx context.Context, in *deleteInput) (*struct{}, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	return nil, s.searches.Delete(ctx, owner, in.Name)
}
