// Package webhook delivers events to the endpoints that owners have registered.
//
// Durable consumers of the outcomes, and of the events about tags, searches and rules, store a delivery for each endpoint that selects
// an event (outcome.go, saved.go, emit.go). The
// deliveries are sent from the table (shard.go, line.go, attempt.go): one process at a time sends those of a shard, and the
// endpoints of a shard do not wait for each other. A delivery is repeated if the process ends between a request and the
// record of it; the receiver recognizes it by its id.
package webhook

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// Options are the dependencies of the service.
type Options struct {
	Backends  *backend.Connections
	Documents *platform.Store
	Platform  platform.Config
	Drain     time.Duration
	Log       zerolog.Logger
	Registry  prometheus.Registerer
}

// Service delivers events. It is safe for concurrent use.
type Service struct {
	endpoints  *webhook.Endpoints
	deliveries *webhook.Deliveries
	registry   *registry
	client     *http.Client
	leases     *checkpoint.Store
	areas      map[string]Area
	wake       [webhook.Shards]chan struct{} // a delivery was added to the shard
	tests      *web.Limiter
	drain      time.Duration
	log        zerolog.Logger
	metrics    metrics
}

// lease is the time after which another process takes over a shard whose holder has ended.
const lease = 3 * time.Second

// New returns the service. It makes no request.
func New(cfg webhook.Config, o Options) *Service {
	s := &Service{
		endpoints: webhook.NewEndpoints(o.Documents), deliveries: webhook.NewDeliveries(o.Backends.DB, o.Platform),
		client: cfg.Client(),
		leases: checkpoint.New(o.Backends.DB, checkpoint.Options{Table: o.Platform, Projection: "webhooks", Lease: lease, Keep: 24 * time.Hour}),
		areas:  map[string]Area{}, tests: web.NewHeldLimiter("webhook-tests", maxTests, maxTestsPerClient), drain: o.Drain, log: o.Log, metrics: newMetrics(o.Registry),
	}
	s.registry = newRegistry(s.endpoints)
	for i := range s.wake {
		s.wake[i] = make(chan struct{}, 1)
	}
	return s
}

// Consumers returns the consumers, which store deliveries.
func (s *Service) Consumers() []bus.Consumer { return []bus.Consumer{s.consumer(), s.savedConsumer()} }

// Work sends deliveries until ctx is done and the requests in progress have ended.
func (s *Service) Work(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	var sending sync.WaitGroup
	defer sending.Wait()
	for n := range webhook.Shards {
		sending.Go(func() { s.newShard(n).run(ctx) })
	}
	return nil
}
