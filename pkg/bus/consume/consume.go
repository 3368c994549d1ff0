// Package consume runs the consumers of a bus (run.go). Each of a consumer's workers requests
// one message at a time (take.go), calls the handler within its bounds, and settles the
// message by what the handler returned (handle.go): it is acknowledged, delivered again, or
// given up with a dead letter. A watchdog recreates what vanishes from the server.
//
// The order of the priorities is that of package fair; package attempt limits and logs the
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

// pause is the rest between tries at what a server refused or did not answer.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}
