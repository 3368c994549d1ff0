package changes

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// discovery is the pseudo-shard under which the lag of shard discovery is recorded.
const discovery = ""

type metrics struct {
	projected prometheus.Counter
	poison    prometheus.Counter
	gaps      prometheus.Counter

	mu   sync.Mutex
	asOf map[string]time.Time // by followed shard: all older changes are projected
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	m := &metrics{
		projected: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_projection_changes_total", Help: "Changes to items that were projected.",
		}),
		poison: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_projection_poison_total", Help: "Changes that could not be projected and were stored for inspection.",
		}),
		gaps: factory.NewCounter(prometheus.CounterOpts{
			Name: "assay_projection_gaps_total", Help: "Gaps where the stream dropped changes before they were projected. For the feed, run assay feed rebuild.",
		}),
		asOf: map[string]time.Time{},
	}
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_projection_lag_seconds", Help: "Maximum age of a change that this process has not projected; grows while a backend fails.",
	}, m.lag)
	return m
}

// reached records that all changes of a shard before asOf are projected.
func (m *metrics) reached(shard string, asOf time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asOf[shard] = asOf
}

// stuck records that reading a shard, or shard discovery, failed. Its lag starts at the first failure.
func (m *metrics) stuck(shard string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, already := m.asOf[shard]; !already {
		m.asOf[shard] = time.Now()
	}
}

// left records that this process no longer follows a shard, or that discovery succeeded.
func (m *metrics) left(shard string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.asOf, shard)
}

// lag returns the lag of the shard that is furthest behind.
func (m *metrics) lag() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	behind := time.Duration(0)
	for _, asOf := range m.asOf {
		behind = max(behind, time.Since(asOf))
	}
	return behind.Seconds()
}
