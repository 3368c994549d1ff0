package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Rule is what is done with new items of the client's owner that match a search.
type Rule struct {
	Name      string       `json:"name"`             // a to z, 0 to 9 and hyphens
	Search    string       `json:"search,omitempty"` // the name of a saved search; empty if the rule has a query
	Query     string       `json:"q,omitempty"`
	Areas     []string     `json:"areas"` // empty for all
	Actions   []RuleAction `json:"actions"`
	Order     int          `json:"order"` // rules act in this order, those with the same one by name
	Enabled   bool         `json:"enabled"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

// RuleAction is one thing that a rule does. One field is set.
type RuleAction struct {
	Tag    string    `json:"tag,omitempty"`
	Untag  string    `json:"untag,omitempty"`
	Move   string    `json:"move,omitempty"` // id of a folder, or root
	Send   string    `json:"send,omitempty"` // an area
	Edit   *RuleEdit `json:"edit,omitempty"`
	Notify string    `json:"notify,omitempty"` // a text
}

// RuleEdit is how a rule edits a picture.
type RuleEdit struct {
	Prompt  string         `json:"prompt,omitempty"`
	Options map[string]any `json:"options,omitempty"`
}

// NewRule is a rule to save. Either Search or Query is set.
type NewRule struct {
	Search  string       `json:"search,omitempty"`
	Query   string       `json:"q,omitempty"`
	Areas   []string     `json:"areas,omitempty"` // empty for all
	Actions []RuleAction `json:"actions"`
	Order   int          `json:"order,omitempty"`
	Enabled bool         `json:"enabled"`
}

// RuleEntry is what has become, or would become, of an action of a rule on an item.
type RuleEntry struct {
	Rule    string     `json:"rule"`
	Action  RuleAction `json:"action"`
	Status  string     `json:"status"` // planned, done, conflict, skipped or failed
	Detail  string     `json:"detail,omitempty"`
	Created *ItemName  `json:"created,omitempty"` // the item that the action has created
	At      time.Time  `json:"at"`
}

// ItemName names an item.
type ItemName struct {
	Area string `json:"area"`
	ID   string `json:"id"`
}

// ItemRules is what the owner's rules have done with an item.
type ItemRules struct {
	Entries []RuleEntry `json:"entries"`         // the oldest first
	From    *ItemName   `json:"from,omitempty"`  // the item from which a rule has created this one
	Rules   []string    `json:"rules,omitempty"` // the rules that led to this item
}

// RuleTrial is what a rule would do.
type RuleTrial struct {
	Items []TriedItem `json:"items"` // best match first
	More  bool        `json:"more"`  // more items match
}

// TriedItem is what a rule would do with an item.
type TriedItem struct {
	Area    string      `json:"area"`
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Acted   bool        `json:"acted"` // the rule has acted on the item already
	Entries []RuleEntry `json:"entries"`
}

// Rules returns the owner's rules, in the order in which they act.
func (c *Client) Rules(ctx context.Context) ([]Rule, error) {
	var list struct {
		Rules []Rule `json:"rules"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("rules")}, &list)
	return list.Rules, err
}

// Rule returns the rule with a name.
func (c *Client) Rule(ctx context.Context, name string) (Rule, error) {
	var r Rule
	return r, c.do(ctx, call{method: http.MethodGet, path: join("rules", name)}, &r)
}

// SaveRule saves a rule under a name. It replaces the one with that name.
func (c *Client) SaveRule(ctx context.Context, name string, rule NewRule) (Rule, error) {
	var r Rule
	return r, c.do(ctx, call{method: http.MethodPut, path: join("rules", name), body: rule}, &r)
}

// DeleteRule deletes a rule. It succeeds if there is none with the name.
func (c *Client) DeleteRule(ctx context.Context, name string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("rules", name)}, nil)
}

// TryRule returns what a rule would do with items that match at the moment. limit is the maximum number of items, or 0 for the
// server's default.
func (c *Client) TryRule(ctx context.Context, name string, limit int) (RuleTrial, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	var t RuleTrial
	return t, c.do(ctx, call{method: http.MethodPost, path: join("rules", name, "dry-run"), query: query}, &t)
}

// ItemRules returns what the owner's rules have done with an item.
func (c *Client) ItemRules(ctx context.Context, area, id string) (ItemRules, error) {
	var l ItemRules
	return l, c.do(ctx, call{method: http.MethodGet, path: join("items", area, id, "rules")}, &l)
}
