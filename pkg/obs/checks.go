package obs

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// checks exports the results of the readiness checks.
type checks struct {
	health *Health
	ready  *prometheus.Desc
}

// Collector returns a collector that runs the checks at each scrape and exports, by check, 1 if it passes and 0 if it
// fails or does not return in time.
func (h *Health) Collector() prometheus.Collector {
	return checks{h, prometheus.NewDesc("assay_ready", "1 if the readiness check of this process passes, 0 if it fails.", []string{"check"}, nil)}
}

func (c checks) Describe(descs chan<- *prometheus.Desc) { descs <- c.ready }

func (c checks) Collect(metrics chan<- prometheus.Metric) {
	for name, state := range c.health.Check(context.Background()).Checks {
		value := 0.0
		if state == "ok" {
			value = 1
		}
		metrics <- prometheus.MustNewConstMetric(c.ready, prometheus.GaugeValue, value, name)
	}
}
