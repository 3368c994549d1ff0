package webhook

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/webhook"
)

type metrics struct {
	attempts *prometheus.CounterVec
	disabled prometheus.Counter
	delay    prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer) metrics {
	factory := promauto.With(reg)
	m := metrics{
		attempts: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_webhook_attempts_total", Help: "Requests to endpoints, by what became of the delivery: delivered, pending or dead.",
		}, []string{"status"}),
		disabled: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_webhook_disabled_total", Help: "Endpoints that were disabled because they are gone, or all deliveries have failed for five days.",
		}),
		delay: factory.NewHistogram(prometheus.HistogramOpts{
			Name: "assay_webhook_delay_seconds", Help: "Time from an event to its first request to an endpoint.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800},
		}),
	}
	for _, status := range []webhook.Status{webhook.StatusDelivered, webhook.StatusPending, webhook.StatusDead} {
		m.attempts.WithLabelValues(string(status))
	}
	return m
}
