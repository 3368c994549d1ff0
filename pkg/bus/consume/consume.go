// Package consume runs the consumers of a bus (run.go). Each of a consumer's workers requests one
// message at a time (take.go), calls the handler within its bounds, and settles the message
// according to the handler's result (handle.go): it is acknowledged, redelivered, or stored as a
// dead letter. A watchdog recreates consumers that have disappeared from the server.
//
// Package fair defines the order of the priorities; package attempt limits and logs the
// attempts.
package consume

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
)

// Runner runs consumers. It is safe for concurrent use.
type Runner struct {
	bus     *bus.Bus
	log     zerolog.Logger
	metrics metrics
}

// New returns a Runner. It registers its metrics once for all consumers; reg may be nil.
func New(b *bus.Bus, log zerolog.Logger, reg prometheus.Registerer) *Runner {
	return &Runner{bus: b, log: log, metrics: newMetrics(reg, b.Source())}
}

// pause waits before a rejected or unanswered request is retried.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}
