package search

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	applied, builds, failures prometheus.Counter
	sequence                  prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer, area string) *metrics {
	factory := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"area": area}, reg))
	return &metrics{
		applied: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_changes_total", Help: "Changes of items applied to the search index of an area.",
		}),
		builds: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_builds_total", Help: "Builds of the search index of an area.",
		}),
		failures: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_search_failures_total", Help: "Failures of the search index of an area, including failed reads of texts.",
		}),
		sequence: factory.NewGauge(prometheus.GaugeOpts{
			Name: "assay_search_sequence", Help: "Sequence of the last event that the search index of an area contains.",
		}),
	}
}
