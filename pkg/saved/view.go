package saved

import (
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// SavedRule is a rule in the HTTP API.
type SavedRule struct {
	Name      string       `json:"name" example:"budgets"`
	Search    string       `json:"search,omitempty" example:"budgets" doc:"the name of the saved search whose new matches the rule acts on; absent if the rule has a query"`
	Query     string       `json:"q,omitempty" example:"budget type:pdf" doc:"as in GET /v1/search"`
	Areas     []string     `json:"areas" nullable:"false" doc:"the areas of the items that the rule acts on; empty for all"`
	Actions   []RuleAction `json:"actions" nullable:"false" doc:"what the rule does, in this order"`
	Order     int          `json:"order" doc:"rules act on an item in this order, those with the same one by name"`
	Enabled   bool         `json:"enabled"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt" doc:"when the rule was last saved"`
}

// View returns a rule in the shape of the HTTP API.
func (r Rule) View() SavedRule {
	return SavedRule{
		r.Name, r.Search, r.Query, append([]string{}, r.Areas...), append([]RuleAction{}, r.Actions...), r.Order, !r.Off, r.CreatedAt, r.UpdatedAt,
	}
}

// RuleEntry is what has become of an action of a rule on an item, in the HTTP API.
type RuleEntry struct {
	Rule    string     `json:"rule" example:"budgets" doc:"the name of the rule"`
	Action  RuleAction `json:"action" doc:"what the rule does"`
	Status  Status     `json:"status" enum:"planned,done,conflict,skipped,failed" doc:"planned: it is being done; conflict: a rule that precedes this one does the opposite; skipped: the rule has created the item, directly or through other rules; failed: it could not be done"`
	Detail  string     `json:"detail,omitempty" doc:"why it was not done, and what to do about it"`
	Created *Item      `json:"created,omitempty" doc:"the item that the action has created"`
	At      time.Time  `json:"at"`
}

// View returns an entry in the shape of the HTTP API.
func (e Entry) View() RuleEntry {
	return RuleEntry{e.Rule, e.Action, e.Status, e.Detail, e.Created, e.At.UTC()}
}

// NoRule lists the problem of calls about a rule that does not exist.
var NoRule = web.Refusals{http.StatusNotFound: {"not-found"}}
