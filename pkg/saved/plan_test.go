package saved

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// planned returns entries as texts.
func planned(entries []Entry) (all []string) {
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s %s %s%s%s", e.Rule, e.Status, e.Action.Tag, e.Action.Untag, e.Action.Move))
	}
	return all
}

func TestPlan(t *testing.T) {
	tag := func(name string) []RuleAction { return []RuleAction{{Tag: name}} }
	one := Rule{Name: "one", Search: "s", Actions: tag("x")}
	first := Event{ID: "e1", Area: "textfile", Ended: 10, Searches: []string{"s"}, Rules: []string{"own"}}
	again, tagged := first, first
	again.Ended, again.ID, tagged.Ended, tagged.ID = 20, "e2", 0, "e3"
	acted := Log{Entries: Log{}.Plan([]Rule{one}, first)}
	for name, c := range map[string]struct {
		log   Log
		rules []Rule
		event Event
		want  []string
	}{
		"in their order": {
			rules: []Rule{{Name: "b", Search: "s", Actions: tag("b")}, {Name: "a", Search: "s", Actions: tag("a")}, {Name: "z", Search: "s", Order: -1, Actions: tag("z")}},
			event: first, want: []string{"z planned z", "a planned a", "b planned b"},
		},
		"with a query of its own": {
			rules: []Rule{{Name: "own", Query: "q", Actions: tag("x")}, {Name: "other", Query: "q", Actions: tag("x")}}, event: first, want: []string{"own planned x"},
		},
		"off, of another search, or of another area": {
			rules: []Rule{{Name: "a", Search: "s", Off: true, Actions: tag("x")}, {Name: "b", Search: "t", Actions: tag("x")}, {Name: "c", Search: "s", Areas: []string{"feed"}, Actions: tag("x")}},
			event: first,
		},
		"once":                                {log: acted, rules: []Rule{one}, event: first},
		"once, also after a tag":              {log: acted, rules: []Rule{one}, event: tagged},
		"again after the item has ended":      {log: acted, rules: []Rule{one}, event: again, want: []string{"one planned x"}},
		"another rule after a tag":            {log: acted, rules: []Rule{one, {Name: "two", Search: "s", Actions: tag("y")}}, event: tagged, want: []string{"two planned y"}},
		"against what an earlier rule did":    {log: acted, rules: []Rule{{Name: "two", Search: "s", Order: -1, Actions: []RuleAction{{Untag: "X"}}}}, event: tagged, want: []string{"two conflict X"}},
		"against what it did to an older end": {log: acted, rules: []Rule{{Name: "two", Search: "s", Actions: []RuleAction{{Untag: "X"}}}}, event: again, want: []string{"two planned X"}},
		"two folders": {
			rules: []Rule{{Name: "a", Search: "s", Actions: []RuleAction{{Move: "1"}}}, {Name: "b", Search: "s", Actions: []RuleAction{{Move: "1"}}}, {Name: "c", Search: "s", Actions: []RuleAction{{Move: "2"}}}},
			event: first, want: []string{"a planned 1", "b planned 1", "c conflict 2"},
		},
		"on what it has created": {log: Log{Origin: &Origin{Rules: []string{"one"}}}, rules: []Rule{one}, event: first, want: []string{"one skipped x"}},
		"at the end of a chain":  {log: Log{Origin: &Origin{Rules: []string{"1", "2", "3", "4", "5"}}}, rules: []Rule{one}, event: first, want: []string{"one skipped x"}},
	} {
		entries := c.log.Plan(c.rules, c.event)
		if got := planned(entries); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		for _, e := range entries {
			if e.Cause != c.event.ID || e.Status != Planned && e.Detail == "" {
				t.Errorf("%s: got %+v, want the cause, and a reason unless it is planned", name, e)
			}
		}
	}
}

func TestMatched(t *testing.T) {
	s := Source{Name: "s", Query: "budget"}
	at := time.UnixMilli(1000)
	first, repeated := Cause{ID: "e1", At: at, Ended: true}, Cause{ID: "e1", At: at, Ended: true}
	var m Matched
	if !m.IsNew(s, first) {
		t.Error("an item without matches: got false, want true")
	}
	m.Add(s, first)
	m.Add(Source{Rule: true, Name: "r", Query: "q"}, first)
	m.Add(Source{Name: "other", Query: "q"}, Cause{ID: "e0", At: at})
	changed := s
	changed.Query = "plan"
	for name, c := range map[string]struct {
		source Source
		cause  Cause
		want   bool
	}{
		"a repetition":               {s, repeated, false},
		"a tag":                      {s, Cause{ID: "e2", At: at.Add(time.Second)}, false},
		"the next end":               {s, Cause{ID: "e3", At: at.Add(time.Second), Ended: true}, true},
		"an earlier end":             {s, Cause{ID: "e4", At: at.Add(-time.Second), Ended: true}, false},
		"another query":              {changed, Cause{ID: "e5", At: at}, true},
		"a rule with the same name":  {Source{Rule: true, Name: "s", Query: "budget"}, Cause{ID: "e6", At: at}, true},
		"a source of the same event": {Source{Rule: true, Name: "r", Query: "q"}, repeated, false},
	} {
		if got := m.IsNew(c.source, c.cause); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
	searches, rules := m.Caused("e1")
	if !slices.Equal(searches, []string{"s"}) || !slices.Equal(rules, []string{"r"}) {
		t.Errorf("got the searches %q and the rules %q, want s and r", searches, rules)
	}
}
