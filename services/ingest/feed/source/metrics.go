package source

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct{ polls, items *prometheus.CounterVec }

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	return &metrics{
		polls: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_source_polls_total", Help: "Polls of feed sources, by outcome (ok, unchanged, quota, no-key, unauthorized, gone, throttled, refused, malformed, failed, engine, interrupted).",
		}, []string{"source", "outcome"}),
		items: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_source_items_total", Help: "Items of feed sources, by outcome (created, duplicate, invalid, skipped).",
		}, []string{"source", "outcome"}),
	}
}

func (m *metrics) record(source, outcome string, t Taken) {
	m.polls.WithLabelValues(source, outcome).Inc()
	for result, n := range map[string]int{"created": t.Created, "duplicate": t.Duplicate, "invalid": t.Invalid, "skipped": t.Skipped} {
		m.items.WithLabelValues(source, result).Add(float64(n))
	}
}
