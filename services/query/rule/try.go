package rule

import (
	"context"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
)

type tryInput struct {
	saved.Named
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"maximum number of items"`
}

type tryOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         trial
}

type trial struct {
	Items []triedItem `json:"items" nullable:"false" doc:"best match first"`
	More  bool        `json:"more" doc:"more items match"`
}

type triedItem struct {
	Area    string            `json:"area" example:"library"`
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Acted   bool              `json:"acted" doc:"the rule has acted on the item already, and would do nothing until the item is processed again"`
	Entries []saved.RuleEntry `json:"entries" nullable:"false" doc:"what the rule would do: planned, conflict or skipped"`
}

func (s *Service) try(ctx context.Context, in *tryInput) (*tryOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	one, err := s.named(ctx, owner, in.Name)
	if err != nil {
		return nil, err
	}
	t := &attempt{Service: s, caller: in.Caller, owner: owner, rule: one}
	out := &tryOutput{CacheControl: "no-store", Body: trial{Items: []triedItem{}}}
	if err := t.read(ctx); err != nil || t.empty {
		return out, err
	}
	found, more, err := s.found.Best(ctx, t.query, t.areas, in.Limit, in.Caller)
	if err != nil {
		return nil, err
	}
	out.Body.More = more
	for _, h := range found {
		tried, err := t.item(ctx, h)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, tried)
	}
	return out, nil
}

// attempt tries a rule out.
type attempt struct {
	*Service
	caller web.Caller
	owner  string
	rule   saved.Rule

	query   string
	areas   []string // of the rule, and of its search
	empty   bool     // the rule and its search have no area in common
	before  []saved.Rule
	queries map[string]saved.Search // by name
}

// read reads the search of the rule, and the rules that precede it and that can be in conflict with it.
func (t *attempt) read(ctx context.Context) error {
	list, err := t.searches.List(ctx, t.owner)
	if err != nil {
		return err
	}
	all := map[string]saved.Search{}
	for _, one := range list {
		all[one.Name] = one
	}
	t.query, t.areas = t.rule.Query, t.rule.Areas
	if t.rule.Search != "" {
		one, exists := all[t.rule.Search]
		if !exists {
			return web.NotFound("The saved search of the rule does not exist any more. Save it, or change the rule.")
		}
		if t.query = one.Query; len(t.areas) == 0 {
			t.areas = one.Areas
		} else if len(one.Areas) > 0 {
			t.areas = slices.DeleteFunc(slices.Clone(t.areas), func(area string) bool { return !slices.Contains(one.Areas, area) })
			t.empty = len(t.areas) == 0
		}
	}
	t.queries = all
	rules, err := t.rules.List(ctx, t.owner)
	saved.Ordered(rules)
	for _, r := range rules {
		if r.Name == t.rule.Name {
			break
		}
		if !r.Off && r.Opposes(t.rule) {
			t.before = append(t.before, r)
		}
	}
	return err
}

// item returns what the rule would do with an item.
func (t *attempt) item(ctx context.Context, h find.Named) (triedItem, error) {
	i := saved.Item{Area: h.Area, ID: h.ID}
	log, err := t.logs.Get(ctx, t.owner, i)
	if err != nil {
		return triedItem{}, err
	}
	tried := t.rule
	tried.Search, tried.Query, tried.Off = "", "this", false // the item matches
	e := saved.Event{ID: "dry-run", At: time.Now().UTC().Truncate(time.Millisecond), Area: h.Area, Rules: []string{tried.Name}}
	rules := []saved.Rule{tried}
	for _, r := range t.before {
		matches, err := t.matches(ctx, r, i)
		if err != nil {
			return triedItem{}, err
		}
		if matches {
			r.Search, r.Query = "", "this"
			e.Rules, rules = append(e.Rules, r.Name), append(rules, r)
		}
	}
	out := triedItem{Area: h.Area, ID: h.ID, Name: h.Name, Acted: true, Entries: []saved.RuleEntry{}}
	for _, entry := range log.Plan(rules, e) {
		if entry.Rule == t.rule.Name {
			out.Acted = false
			out.Entries = append(out.Entries, entry.View())
		}
	}
	return out, nil
}

// matches reports whether an item is one that a rule acts on.
func (t *attempt) matches(ctx context.Context, r saved.Rule, i saved.Item) (bool, error) {
	query := r.Query
	if r.Search != "" {
		one, exists := t.queries[r.Search]
		if !exists || !one.Covers(i.Area) {
			return false, nil
		}
		query = one.Query
	}
	if !r.Covers(i.Area) {
		return false, nil
	}
	_, matches, err := t.found.Matches(ctx, query, i, t.caller)
	return matches, find.Problem(err)
}
