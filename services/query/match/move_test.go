package match

import (
	"testing"

	"github.com/assay-project/assay/pkg/terms"
)

func TestNamesMatter(t *testing.T) {
	for _, test := range []struct {
		query, before, after string
		want                 bool
	}{
		{"budget", "a.txt", "budget.txt", true},
		{"budget", "a.txt", "Our Budgets 2026.txt", true}, // another form
		{"name:budget 2026", "a.txt", "budget.txt", true},
		{"\"annual budget\"", "annual.txt", "annual budget.txt", true},
		{"bud*", "a.txt", "budget.txt", true},
		{"budget", "budget.txt", "budget 2.txt", false}, // it has matched before
		{"budget", "a.txt", "b.txt", false},
		{"text:budget", "a.txt", "budget.txt", false},
		{"budget -draft", "draft budget.txt", "budget.txt", true},
		{"budget -draft", "budget.txt", "budget draft.txt", false},
		{"budget type:pdf", "a.txt", "a.pdf", true},
		{"budget type:pdf", "a.pdf", "b.pdf", false},
		{"tag:budget", "a.txt", "budget.txt", false},
	} {
		parsed, err := terms.Parse(test.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := namesMatter(parsed, test.before, test.after); got != test.want {
			t.Errorf("%s, from %s to %s: got %t, want %t", test.query, test.before, test.after, got, test.want)
		}
	}
}
