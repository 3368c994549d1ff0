package source

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestSourcesHaveSeriesWhileTheyExist checks that the series of a new source are 0, keep their counts, and disappear with the
// source.
func TestSourcesHaveSeriesWhileTheyExist(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := newMetrics(registry)
	check := func(state string, series int, polls float64) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		found, sum := 0, 0.0
		for _, family := range families {
			for _, one := range family.GetMetric() {
				found++
				if family.GetName() == "assay_source_polls_total" {
					sum += one.GetCounter().GetValue()
				}
			}
		}
		if found != series || sum != polls {
			t.Errorf("%s: got %d series and %v polls, want %d and %v", state, found, sum, series, polls)
		}
	}
	const each = 12 + 4 // outcomes of polls and of items
	first, second := Source{Name: "a"}, Source{Name: "b"}
	m.exist([]Source{first, second})
	check("two new sources", 2*each, 0)
	m.record("a", outcomeOK, Taken{Created: 3})
	m.exist([]Source{first, second})
	check("after a poll", 2*each, 1)
	m.exist([]Source{second})
	check("one source deleted", each, 0)
}
