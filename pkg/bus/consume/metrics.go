package consume

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	attempts  *prometheus.HistogramVec
	inFlight  *prometheus.GaugeVec
	abandoned *prometheus.GaugeVec
	recreated *prometheus.CounterVec
}

// newMetrics registers the collectors under the service's name, since the
// services of one process share a registry.
func newMetrics(reg prometheus.Registerer, service string) metrics {
	factory := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"service": service}, reg))
	return metrics{
		attempts: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_attempt_duration_seconds", Help: "Duration of consumers' attempts, by outcome (done, retry, given_up, returned, taken_over, delayed); the count is the number of attempts.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 10),
		}, []string{"consumer", "area", "outcome"}),
		inFlight: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_work_in_flight", Help: "Deliveries in progress.",
		}, []string{"consumer", "area"}),
		abandoned: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_attempts_abandoned", Help: "Attempts that exceeded their time limit and have not returned.",
		}, []string{"consumer", "area"}),
		recreated: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_consumer_recreated_total", Help: "Consumers recreated while their process ran, by cause (missing; stalled: messages wait and none is delivered; clock: the server's clock was stepped back).",
		}, []string{"consumer", "cause"}),
	}
}
