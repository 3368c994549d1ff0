package saved

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// Limits of rules.
const (
	MaxRules   = 100 // of an owner
	MaxActions = 10  // of a rule
	// MaxChain is the maximum number of rules of which each has sent the item that the next one acts on.
	MaxChain = 5
)

// ErrRules means that the owner has MaxRules rules.
var ErrRules = errors.New("the owner has too many rules")

// Root is the folder of RuleAction.Move that means the root of the owner's library.
const Root = "root"

// Rule is what an owner wants to be done with new items that match a saved search, or a query.
type Rule struct {
	Name      string       `json:"name"`
	Search    string       `json:"search,omitempty"` // the name of a saved search; empty if the rule has a query
	Query     string       `json:"q,omitempty"`
	Areas     []string     `json:"areas,omitempty"` // of the items; empty for all
	Actions   []RuleAction `json:"actions"`
	Order     int          `json:"order,omitempty"` // rules act in this order, those with the same one in that of their names
	Off       bool         `json:"off,omitempty"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

// RuleAction is one thing that a rule does. One of the fields is set.
type RuleAction struct {
	Tag    string    `json:"tag,omitempty" maxLength:"400" example:"budget" doc:"gives the item a tag"`
	Untag  string    `json:"untag,omitempty" maxLength:"400" doc:"removes a tag from the item"`
	Move   string    `json:"move,omitempty" maxLength:"36" doc:"moves a file of the library to the folder with this id; root: to the root of the library"`
	Send   string    `json:"send,omitempty" maxLength:"64" example:"library" doc:"creates an item with the same content in this area: textfile, photojob or library"`
	Edit   *RuleEdit `json:"edit,omitempty" doc:"edits the picture as a new photo job"`
	Notify string    `json:"notify,omitempty" maxLength:"500" example:"A new budget has arrived." doc:"sends this text to the live events and webhooks of the owner"`
}

// RuleEdit is how a rule edits a picture, as in POST /v1/photos.
type RuleEdit struct {
	Prompt  string         `json:"prompt,omitempty" maxLength:"2000" doc:"how to edit the photo; default: enhance"`
	Options map[string]any `json:"options,omitempty" doc:"the options of POST /v1/photos"`
}

// Set returns the number of fields that are set.
func (a RuleAction) Set() int {
	n := 0
	for _, set := range []bool{a.Tag != "", a.Untag != "", a.Move != "", a.Send != "", a.Edit != nil, a.Notify != ""} {
		if set {
			n++
		}
	}
	return n
}

func (r Rule) key() (string, time.Time) { return r.Name, r.CreatedAt }

func (r Rule) stamped(created, updated time.Time) Rule {
	r.CreatedAt, r.UpdatedAt = created, updated
	return r
}

// Covers reports whether items of an area are among those of the rule.
func (r Rule) Covers(area string) bool { return covers(r.Areas, area) }

// Ordered sorts rules in the order in which they act.
func Ordered(rules []Rule) {
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Name, b.Name)) })
}

// Rules stores rules. It is safe for concurrent use.
type Rules struct{ collection[Rule] }

// NewRules returns the rules in the table of documents.
func NewRules(documents *platform.Store) *Rules {
	return &Rules{collection[Rule]{documents, platform.Rules, MaxRules, ErrRules}}
}
