package search

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	applied, builds, failures prometheus.Counter
	sequence                  prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	return &metrics{
		applied: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_changes_total", Help: "Changes of nodes that the search index applied.",
		}),
		builds: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_builds_total", Help: "How often the search index was built from the nodes table.",
		}),
		failures: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_failures_total", Help: "How often the search index stopped or could not read texts.",
		}),
		sequence: factory.NewGauge(prometheus.GaugeOpts{
			Name: "assay_search_sequence", Help: "Sequence of the last event of nodes that the search index has.",
		}),
	}
}
