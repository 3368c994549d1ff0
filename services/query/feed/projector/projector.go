// Package projector fills the dashboard table of the feed from the change stream
// of the primary table. Applying a change is idempotent (see dashboard.Dashboard.Apply).
package projector

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// Projector fills the dashboard table. Run must be called only once.
type Projector struct {
	follower  *changes.Follower
	dashboard *dashboard.Dashboard
	poison    poison
	writing   sync.Mutex
	changed   func([]feed.Item)
	log       zerolog.Logger
}

// Options are the dependencies of a projector.
type Options struct {
	DB       *dynamodb.Client
	Streams  *dynamodbstreams.Client
	Tables   feed.Config
	Platform platform.Config // contains the checkpoints
	Log      zerolog.Logger
	Registry prometheus.Registerer
	// Changed is called with the items whose rows were written or removed, after the write. Several
	// calls may run concurrently. Optional.
	Changed func([]feed.Item)
}

// projection is the name of the checkpoints.
const projection = "feed"

// New returns a projector. It makes no request.
func New(cfg changes.Config, o Options) *Projector {
	if o.Changed == nil {
		o.Changed = func([]feed.Item) {}
	}
	p := &Projector{
		dashboard: dashboard.New(o.DB, o.Tables), poison: poison{db: o.DB, table: o.Tables.Dashboard}, changed: o.Changed, log: o.Log,
	}
	p.follower = changes.New(cfg, changes.Options{
		DB: o.DB, Streams: o.Streams, Table: o.Tables.Primary, Platform: o.Platform, Log: o.Log, Registry: o.Registry,
		Projection: projection, Keep: feed.Retention, Advice: "run assay feed rebuild", Project: p.project,
	})
	return p
}

// Run follows the stream until ctx is done, then releases its shards and returns nil.
func (p *Projector) Run(ctx context.Context) error { return p.follower.Run(ctx) }
