package source

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics has series for the sources that exist. One goroutine may call exist.
type metrics struct {
	polls, items *prometheus.CounterVec
	sources      map[string]bool // those with series
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	return &metrics{
		polls: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_source_polls_total", Help: "Polls of feed sources, by outcome (" + strings.Join(outcomes(), ", ") + ").",
		}, []string{"source", "outcome"}),
		items: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_source_items_total", Help: "Items of feed sources, by outcome (created, duplicate, invalid, skipped).",
		}, []string{"source", "outcome"}),
	}
}

// exist creates the series of new sources, and removes those of deleted ones.
func (m *metrics) exist(all []Source) {
	present := make(map[string]bool, len(all))
	for _, source := range all {
		if present[source.Name] = true; m.sources[source.Name] {
			continue
		}
		for _, outcome := range outcomes() {
			m.polls.WithLabelValues(source.Name, outcome)
		}
		m.taken(source.Name, Taken{})
	}
	for name := range m.sources {
		if !present[name] {
			m.polls.DeletePartialMatch(prometheus.Labels{"source": name})
			m.items.DeletePartialMatch(prometheus.Labels{"source": name})
		}
	}
	m.sources = present
}

func (m *metrics) record(source, outcome string, t Taken) {
	m.polls.WithLabelValues(source, outcome).Inc()
	m.taken(source, t)
}

func (m *metrics) taken(source string, t Taken) {
	for outcome, n := range map[string]int{"created": t.Created, "duplicate": t.Duplicate, "invalid": t.Invalid, "skipped": t.Skipped} {
		m.items.WithLabelValues(source, outcome).Add(float64(n))
	}
}
