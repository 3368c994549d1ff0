// Package rule serves the calls that save and delete rules, and applies rules to items that begin to match. Package rule of query
// serves the reads, and package match there finds the matches.
package rule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	const group, path = "rules", "/v1/rules/{name}"
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[saved.SavedRule](), true, "")
	web.Register(r, huma.Operation{
		OperationID: "put-rule", Method: http.MethodPut, Path: path, Tags: []string{group}, Summary: "Save a rule",
		Description: "The rule acts on the items of the caller, and on those that it has tagged, that begin to match from now on: once on an item, and again after the item was processed again. " +
			"It has the permissions of the caller, but not of its groups. An owner can have 100 rules. Replaces the rule with this name: 201 means that there was none.",
		Responses: map[string]*huma.Response{"201": {Description: "Created", Content: map[string]*huma.MediaType{"application/json": {Schema: view}}}},
	}, s.put, saved.Refusals, web.Refusals{http.StatusConflict: {"too-many-rules"}, http.StatusUnprocessableEntity: {"search-syntax"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-rule", Method: http.MethodDelete, Path: path, Tags: []string{group}, Summary: "Delete a rule",
		Description: "Succeeds if there is none with this name. What it has done stays.", DefaultStatus: http.StatusNoContent,
	}, s.delete, saved.Refusals)
}

type putInput struct {
	saved.Named
	Body newRule
}

type newRule struct {
	Search  string             `json:"search,omitempty" maxLength:"64" example:"budgets" doc:"the name of a saved search of the caller; either search or q is required"`
	Query   string             `json:"q,omitempty" maxLength:"500" example:"budget type:pdf" doc:"as in GET /v1/search"`
	Areas   []string           `json:"areas,omitempty" maxItems:"20" doc:"names of areas; default: all"`
	Actions []saved.RuleAction `json:"actions" minItems:"1" maxItems:"10" doc:"each has one field"`
	Order   int                `json:"order,omitempty" minimum:"-1000000" maximum:"1000000" doc:"rules act on an item in this order, those with the same one by name; default: 0"`
	Enabled *bool              `json:"enabled,omitempty" doc:"false: the rule does nothing, but can be tried out; default: true"`
}

type putOutput struct {
	Status int
	Body   saved.SavedRule
}

func (s *Service) put(ctx context.Context, in *putInput) (*putOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	next := saved.Rule{
		Name: in.Name, Search: in.Body.Search, Query: in.Body.Query, Areas: slices.Compact(slices.Sorted(slices.Values(in.Body.Areas))),
		Actions: in.Body.Actions, Order: in.Body.Order, Off: in.Body.Enabled != nil && !*in.Body.Enabled,
	}
	if err := s.check(ctx, owner, &next); err != nil {
		return nil, err
	}
	stored, isNew, err := s.rules.Put(ctx, owner, next)
	if errors.Is(err, saved.ErrRules) {
		return nil, web.NewProblem(http.StatusConflict, "too-many-rules", "You have "+strconv.Itoa(saved.MaxRules)+" rules, the maximum. Delete one first.")
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

// check returns a problem for a rule that cannot be applied. It changes tags to the form that package tag returns.
func (s *Service) check(ctx context.Context, owner string, r *saved.Rule) error {
	if (r.Search == "") == (r.Query == "") {
		return web.Invalid(web.FieldError{Field: "body.search", Message: "specify the name of a saved search, or a query in q"})
	}
	for _, name := range r.Areas {
		if !slices.Contains(s.o.Areas, name) {
			return web.Invalid(web.FieldError{Field: "body.areas", Message: "must be one or more of " + strings.Join(s.o.Areas, ", ")})
		}
	}
	if r.Query != "" {
		if _, err := terms.Parse(r.Query); err != nil {
			p := web.NewProblem(http.StatusUnprocessableEntity, "search-syntax", "The query is invalid; see errors.")
			p.Errors = []web.FieldError{{Field: "body.q", Message: err.Error()}}
			return p
		}
	} else if _, err := s.searches.Get(ctx, owner, r.Search); errors.Is(err, saved.ErrNotFound) {
		return web.Invalid(web.FieldError{Field: "body.search", Message: "is not the name of one of your saved searches"})
	} else if err != nil {
		return err
	}
	for n := range r.Actions {
		field, wrong := s.checkAction(&r.Actions[n])
		for _, before := range r.Actions[:n] {
			if wrong == "" && before.Opposes(r.Actions[n]) != "" {
				wrong = "is the opposite of an action before it"
			}
		}
		if wrong != "" {
			return web.Invalid(web.FieldError{Field: fmt.Sprintf("body.actions[%d]%s", n, field), Message: wrong})
		}
	}
	return nil
}

// checkAction returns what is wrong with an action, or "".
func (s *Service) checkAction(a *saved.RuleAction) (field, wrong string) {
	switch {
	case a.Set() != 1:
		return "", "must have one of tag, untag, move, send, edit and notify"
	case a.Tag != "":
		a.Tag, wrong = tag.Parse(a.Tag)
		return ".tag", wrong
	case a.Untag != "":
		a.Untag, wrong = tag.Parse(a.Untag)
		return ".untag", wrong
	case a.Move != "" && a.Move != saved.Root:
		id, err := uuid.Parse(a.Move)
		if err != nil {
			return ".move", "is not the id of a folder, or root"
		}
		a.Move = id.String()
	case a.Send != "" && !slices.Contains(s.o.Sender.Targets(), a.Send):
		return ".send", "must be one of " + strings.Join(s.o.Sender.Targets(), ", ")
	case a.Notify != "" && tag.Blank(a.Notify):
		return ".notify", "has no visible character"
	}
	return "", ""
}

type deleteInput struct{ saved.Named }

func (s *Service) delete(ctx context.Context, in *deleteInput) (*struct{}, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	return nil, s.rules.Delete(ctx, owner, in.Name)
}
