package saved

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/tag"
)

// Event is the match of an item as rules see it.
type Event struct {
	ID    string
	At    time.Time
	Area  string // of the item
	Ended int64  // when the item has ended, in epoch milliseconds; 0 if it matches because of a tag

	Searches []string // the names of the searches that it matches
	Rules    []string // the names of the rules whose queries it matches
}

// Plan returns the entries that an event adds to a log: the actions of the rules that act on the item, in their order. A rule acts
// once on an item, and again after the item has ended again. Entries in conflict with earlier ones, and those of rules that would
// act on their own results, are not Planned.
func (l Log) Plan(rules []Rule, e Event) []Entry {
	ended := e.Ended
	for _, before := range l.Entries {
		ended = max(ended, before.Ended)
	}
	var current []Entry // of this end of the item
	for _, before := range l.Entries {
		if before.Ended == ended {
			current = append(current, before)
		}
	}
	earlier := len(current)
	rules = slices.Clone(rules)
	Ordered(rules)
	for _, r := range rules {
		matches := r.Query == "" && slices.Contains(e.Searches, r.Search) || r.Query != "" && slices.Contains(e.Rules, r.Name)
		acted := slices.ContainsFunc(current[:earlier], func(before Entry) bool { return before.Rule == r.Name })
		if r.Off || !matches || acted || !r.Covers(e.Area) {
			continue
		}
		skipped := l.skips(r)
		for _, a := range r.Actions {
			next := Entry{Rule: r.Name, Action: a, Status: Planned, At: e.At, Cause: e.ID, Ended: ended}
			if skipped != "" {
				next.Status, next.Detail = Skipped, skipped
			} else if first := against(current, next); first != "" {
				next.Status, next.Detail = Conflict, first
			}
			current = append(current, next)
		}
	}
	return current[earlier:]
}

// skips returns why a rule does not act on an item because of the origin of the item, or "".
func (l Log) skips(r Rule) string {
	switch {
	case l.Origin == nil:
		return ""
	case slices.Contains(l.Origin.Rules, r.Name):
		return "The item was created by this rule, directly or through other rules. Restrict the rule, for example by its areas."
	case len(l.Origin.Rules) >= MaxChain:
		return fmt.Sprintf("The item was created by %d rules, one after the other, which is the limit. Combine their actions in fewer rules.", MaxChain)
	}
	return ""
}

// Opposes reports whether a rule has an action that is in conflict with one of another rule.
func (r Rule) Opposes(other Rule) bool {
	for _, a := range r.Actions {
		for _, b := range other.Actions {
			if a.Opposes(b) != "" {
				return true
			}
		}
	}
	return false
}

// Opposes returns what an action does that is in conflict with another one, or "".
func (a RuleAction) Opposes(other RuleAction) string {
	same := func(one, other string) bool { return one != "" && tag.Fold(one) == tag.Fold(other) }
	switch {
	case a.Move != "" && other.Move != "" && a.Move != other.Move:
		return "moves the item to another folder"
	case same(a.Tag, other.Untag):
		return "adds this tag"
	case same(a.Untag, other.Tag):
		return "removes this tag"
	}
	return ""
}

// against returns what another rule has done, or will do, that is in conflict with an action, or "".
func against(current []Entry, next Entry) string {
	for _, before := range current {
		if before.Rule == next.Rule || before.Status != Done && before.Status != Planned {
			continue
		}
		if does := before.Action.Opposes(next.Action); does != "" {
			return fmt.Sprintf("The rule %s precedes this one and %s. Change the order of the rules, or one of their searches.", before.Rule, does)
		}
	}
	return ""
}
