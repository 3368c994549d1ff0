// Package rule serves the calls that read rules and their logs, and tries rules out. Package rule of ingest serves the writes, and
// applies rules.
package rule

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
)

// Service reads rules. It is safe for concurrent use.
type Service struct {
	rules    *saved.Rules
	searches *saved.Searches
	logs     *saved.Logs
	found    *find.Service
}

// New returns the service. It makes no request.
func New(documents *platform.Store, found *find.Service) *Service {
	return &Service{saved.NewRules(documents), saved.NewSearches(documents), saved.NewLogs(documents), found}
}

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	const group, path = "rules", "/v1/rules"
	web.Register(r, huma.Operation{
		OperationID: "list-rules", Method: http.MethodGet, Path: path, Tags: []string{group}, Summary: "List the caller's rules, in the order in which they act",
	}, s.list, saved.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "get-rule", Method: http.MethodGet, Path: path + "/{name}", Tags: []string{group}, Summary: "Get a rule",
	}, s.get, saved.Refusals, saved.NoRule)
	web.Register(r, huma.Operation{
		OperationID: "try-rule", Method: http.MethodPost, Path: path + "/{name}/dry-run", Tags: []string{group}, Summary: "Show what a rule would do",
		Description: "Returns the actions of the rule on items that match at the moment, best match first, and changes nothing. An action is a conflict if a rule that " +
			"precedes this one has done the opposite on the item, or would do it. Whether an action would succeed is not tried. " +
			"The rule itself acts only on items that begin to match after it was saved.",
	}, s.try, saved.Refusals, saved.NoRule, find.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "item-rules", Method: http.MethodGet, Path: "/v1/items/{area}/{id}/rules", Tags: []string{group}, Summary: "Show what the caller's rules have done with an item",
		Description: "Returns the last 200 actions, the oldest first. They are kept for 400 days after the last one. The list is empty for an item that no rule has acted on, and for one that does not exist.",
	}, s.log, saved.Refusals)
}

type listInput struct{ web.CallerParam }

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         savedRules
}

type savedRules struct {
	Rules []saved.SavedRule `json:"rules" nullable:"false" doc:"in the order in which they act"`
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	all, err := s.rules.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	saved.Ordered(all)
	return &listOutput{CacheControl: "no-store", Body: savedRules{web.Views(all, saved.Rule.View)}}, nil
}

type getInput struct{ saved.Named }

type getOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         saved.SavedRule
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	one, err := s.named(ctx, owner, in.Name)
	if err != nil {
		return nil, err
	}
	return &getOutput{CacheControl: "no-store", Body: one.View()}, nil
}

// named returns a rule of an owner, or a problem if there is none with the name.
func (s *Service) named(ctx context.Context, owner, name string) (saved.Rule, error) {
	one, err := s.rules.Get(ctx, owner, name)
	if errors.Is(err, saved.ErrNotFound) {
		err = web.NotFound("You have no rule with this name.")
	}
	return one, err
}

type logInput struct {
	web.CallerParam
	Area string `path:"area" maxLength:"64" example:"library"`
	ID   string `path:"id" maxLength:"256" doc:"id in the area"`
}

type logOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         itemRules
}

type itemRules struct {
	Entries []saved.RuleEntry `json:"entries" nullable:"false" doc:"the oldest first"`
	From    *saved.Item       `json:"from,omitempty" doc:"the item from which a rule has created this one"`
	Rules   []string          `json:"rules,omitempty" doc:"the rules that led to this item: each has created the item that the next one acted on"`
}

func (s *Service) log(ctx context.Context, in *logInput) (*logOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	i := saved.Item{Area: in.Area, ID: in.ID}
	if id, err := uuid.Parse(in.ID); err == nil {
		i.ID = id.String()
	}
	log, err := s.logs.Get(ctx, owner, i)
	if err != nil {
		return nil, err
	}
	out := &logOutput{CacheControl: "no-store", Body: itemRules{Entries: web.Views(log.Entries, saved.Entry.View)}}
	if log.Origin != nil {
		out.Body.From, out.Body.Rules = &log.Origin.From, log.Origin.Rules
	}
	return out, nil
}
