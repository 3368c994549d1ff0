package rules

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// dryRunChangesNothing: a dry run returns what a rule would do with the items that match now, conflicts with earlier rules included,
// also for a rule that is not enabled.
func dryRunChangesNothing(t *testing.T, s system.System) {
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	common := word()
	file, node := text(t, c, "a.txt", common), stored(t, c, "b.txt", common)
	text(t, other, "c.txt", common)
	for _, i := range []client.ItemName{file, node} {
		if _, err := c.Search(system.Within(t), client.AreaSearch{Query: common, After: i.Area + "/" + i.ID}); err != nil {
			t.Fatal(err)
		}
	}
	search(t, c, "s", common)
	rule(t, c, "first", client.NewRule{Query: common, Areas: []string{"library"}, Order: -1, Actions: []client.RuleAction{{Untag: "x"}}})
	if _, err := c.SaveRule(system.Within(t), "r", client.NewRule{Search: "s", Actions: []client.RuleAction{{Tag: "x"}, {Send: "textfile"}}}); err != nil {
		t.Fatal(err)
	}
	trial, err := c.TryRule(system.Within(t), "r", 0)
	if err != nil || trial.More || len(trial.Items) != 2 {
		t.Fatalf("got %+v, error %v, want two items", trial, err)
	}
	for _, i := range trial.Items {
		want := []string{"planned", "planned"}
		if i.Area == "library" {
			want[0] = "conflict"
		}
		var got []string
		for _, e := range i.Entries {
			got = append(got, e.Status)
		}
		if !slices.Equal(got, want) || i.Acted || !slices.Contains([]client.ItemName{file, node}, client.ItemName{Area: i.Area, ID: i.ID}) {
			t.Errorf("%+v, want the statuses %q", i, want)
		}
	}
	if one, err := c.TryRule(system.Within(t), "r", 1); err != nil || len(one.Items) != 1 || !one.More {
		t.Errorf("got %+v, error %v, want one item and more", one, err)
	}
	tagged(t, c, file)
	tagged(t, c, node)
	if all := items(t, c, ""); len(all) != 2 {
		t.Errorf("the items are %v, want two", all)
	}
	if _, err := other.TryRule(system.Within(t), "r", 0); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the rule of another owner: %v, want 404", err)
	}
}

// invalidOnesAreNotSaved: a wrong rule is refused, and the error names the field.
func invalidOnesAreNotSaved(t *testing.T, s system.System) {
	name := system.NewOwner()
	header := map[string]string{"X-Owner-Id": name, "Content-Type": "application/json"}
	for _, request := range []struct{ name, body, slug, field, message string }{
		{"a", `{"actions":[{"tag":"x"}]}`, "invalid-request", "body.search", "saved search"},
		{"a", `{"q":"x","search":"y","actions":[{"tag":"x"}]}`, "invalid-request", "body.search", "saved search"},
		{"a", `{"search":"none","actions":[{"tag":"x"}]}`, "invalid-request", "body.search", "is not the name"},
		{"a", `{"q":"x before:yesterday","actions":[{"tag":"x"}]}`, "search-syntax", "body.q", "at character 3: "},
		{"a", `{"q":"x","areas":["nothing"],"actions":[{"tag":"x"}]}`, "invalid-request", "body.areas", "feed, library, photojob, textfile"},
		{"a", `{"q":"x","actions":[]}`, "invalid-request", "body.actions", ""},
		{"a", `{"q":"x","actions":[{}]}`, "invalid-request", "body.actions[0]", "must have one of"},
		{"a", `{"q":"x","actions":[{"tag":"x","untag":"y"}]}`, "invalid-request", "body.actions[0]", "must have one of"},
		{"a", `{"q":"x","actions":[{"tag":"` + strings.Repeat("x", 51) + `"}]}`, "invalid-request", "body.actions[0].tag", "longer than 50"},
		{"a", `{"q":"x","actions":[{"move":"folder"}]}`, "invalid-request", "body.actions[0].move", "root"},
		{"a", `{"q":"x","actions":[{"send":"feed"}]}`, "invalid-request", "body.actions[0].send", "library, photojob, textfile"},
		{"a", `{"q":"x","actions":[{"tag":"x"},{"untag":"X"}]}`, "invalid-request", "body.actions[1].untag", "opposite"},
		{"UPPER", `{"q":"x","actions":[{"tag":"x"}]}`, "invalid-request", "path.name", ""},
	} {
		resp, body := s.Ask(t, http.MethodPut, "/v1/rules/"+request.name, header, request.body)
		p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, request.slug)
		if len(p.Errors) != 1 || p.Errors[0].Field != request.field || !strings.Contains(p.Errors[0].Message, request.message) {
			t.Errorf("%s: got %s, want an error of %s with %q", request.body, body, request.field, request.message)
		}
	}
	for _, path := range []string{"/v1/rules", "/v1/rules/a", "/v1/items/textfile/a/rules"} {
		resp, body := s.Ask(t, http.MethodGet, path, nil, "")
		system.Refused(t, resp, body, http.StatusBadRequest, "owner-required")
	}
}

// anOwnerSavesAtMost100: the 101st rule is refused. A saved one can be replaced, disabled and deleted.
func anOwnerSavesAtMost100(t *testing.T, s system.System) {
	name := system.NewOwner()
	c := s.Client(t, name)
	r := client.NewRule{Query: "budget", Actions: []client.RuleAction{{Tag: "x"}}}
	for n := range 100 {
		r.Order = -n
		rule(t, c, fmt.Sprintf("r-%03d", n), r)
	}
	resp, body := s.Ask(t, http.MethodPut, "/v1/rules/more", map[string]string{"X-Owner-Id": name, "Content-Type": "application/json"}, `{"q":"budget","actions":[{"tag":"x"}]}`)
	system.Refused(t, resp, body, http.StatusConflict, "too-many-rules")
	if one, err := c.SaveRule(system.Within(t), "r-000", r); err != nil || one.Enabled || one.Order != -99 || one.CreatedAt.IsZero() {
		t.Errorf("replaced by %+v, error %v, want a rule that is not enabled", one, err)
	}
	if all, err := c.Rules(system.Within(t)); err != nil || len(all) != 100 || all[0].Name != "r-000" || all[1].Name != "r-099" || all[99].Name != "r-001" {
		t.Errorf("got %d rules, error %v, want 100 in their order", len(all), err)
	}
	for range 2 {
		if err := c.DeleteRule(system.Within(t), "r-000"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Rule(system.Within(t), "r-000"); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the deleted rule: %v, want 404", err)
	}
}

// nothingIsKept: the log of an item, and what it has matched, are deleted with it.
func nothingIsKept(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	common := word()
	rule(t, c, "r", client.NewRule{Query: common, Actions: []client.RuleAction{{Tag: "x"}}})
	file := text(t, c, "a.txt", common)
	acted(t, c, file, `r done {"tag":"x"}`)
	rows := func() int {
		t.Helper()
		n := 0
		for _, partition := range []string{"MATCH#", "RULELOG#", "TAG#"} {
			out, err := s.Tables().GetItem(system.Within(t), &dynamodb.GetItemInput{TableName: aws.String("assay-platform"), Key: system.Item{
				"PK": &types.AttributeValueMemberS{Value: partition + owner}, "SK": &types.AttributeValueMemberS{Value: file.Area + "#" + file.ID},
			}})
			if err != nil {
				t.Fatal(err)
			}
			n += min(1, len(out.Item))
		}
		return n
	}
	if n := rows(); n != 3 {
		t.Fatalf("got %d rows of the item, want 3", n)
	}
	if err := c.Delete(system.Within(t), file.ID); err != nil {
		t.Fatal(err)
	}
	if n := rows(); n != 0 {
		t.Errorf("got %d rows of the deleted item, want none", n)
	}
}
