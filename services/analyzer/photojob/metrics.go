package photojob

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// metrics contains the metrics of paid providers.
type metrics struct {
	calls *prometheus.HistogramVec
	cost  *prometheus.CounterVec
	holds *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	m := &metrics{
		calls: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "assay_photo_call_duration_seconds",
			Help:    "Calls to paid photo providers, by step and outcome (ok, retry, defer, suspend, unknown, permanent, internal).",
			Buckets: []float64{0.1, 0.3, 1, 3, 10, 30, 60, 120, 300},
		}, []string{"provider", "step", "outcome"}),
		cost: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_photo_call_cost_dollars_total",
			Help: "Maximum cost of the calls to paid photo providers, in US dollars.",
		}, []string{"provider", "step"}),
		holds: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_photo_provider_held",
			Help: "1 for the reason why calls to a paid photo provider are not allowed, 0 for the others (disabled, suspended, breaker, rate_limited, concurrent, per_minute, per_day, daily_budget).",
		}, []string{"provider", "reason"}),
	}
	for _, name := range photojob.Providers() {
		if name != photojob.Stub {
			m.expect(name)
		}
	}
	return m
}

// expect creates the series of a paid provider. Seedream has no calls for the step analyze; its series remain 0.
func (m *metrics) expect(name string) {
	for _, step := range []provider.Step{provider.Analyze, provider.Edit} {
		m.cost.WithLabelValues(name, string(step))
		for _, class := range append(provider.Classes(), outcomeOK) {
			m.calls.WithLabelValues(name, string(step), string(class))
		}
	}
	for _, code := range policy.HeldCodes() {
		m.holds.WithLabelValues(name, code)
	}
}

// outcomeOK is the outcome of a call without error. Others are the class of the error.
const outcomeOK = "ok"

// called records a call with an upper bound of its cost.
func (m *metrics) called(name, step string, took time.Duration, costMicros int64, err error) {
	outcome := outcomeOK
	if err != nil {
		outcome = string(provider.ClassOf(err))
	}
	m.calls.WithLabelValues(name, step, outcome).Observe(took.Seconds())
	m.cost.WithLabelValues(name, step).Add(float64(costMicros) / 1e6)
}

// held records the hold of a provider; nil means none.
func (m *metrics) held(name string, held *policy.Held) {
	for _, code := range policy.HeldCodes() {
		value := 0.0
		if held != nil && held.Code == code {
			value = 1
		}
		m.holds.WithLabelValues(name, code).Set(value)
	}
}
