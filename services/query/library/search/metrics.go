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
			Name: "assay_search_changes_total", Help: "Node changes applied to the search index.",
		}),
		builds: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_builds_total", Help: "Builds of the search index from the nodes table.",
		}),
		failures: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_failures_total", Help: "Failures of the search index, including failed reads of texts.",
		}),
		sequence: factory.NewGauge(prometheus.GaugeOpts{
			Name: "assay_search_sequence", Help: "Sequence of the last node event applied to the search index.",
		}),
	}
}
