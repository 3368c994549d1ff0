// Package feed accepts feed items that clients post, and items that it polls from sources.
package feed

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/services/ingest/feed/source"
)

// Area accepts feed items.
type Area struct {
	store     *feed.Store
	bucket    *blob.Store
	bus       *bus.Bus
	quotas    *quota.Quotas
	sources   *source.Store
	poller    *source.Poller
	alerts    *alert.Store
	accepting *semaphore.Weighted // limits the total size of the items being accepted
	itemTTL   time.Duration       // 0 keeps items indefinitely
	log       zerolog.Logger
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, quotas *quota.Quotas, log zerolog.Logger, reg prometheus.Registerer) *Area {
	documents := platform.NewStore(backends.DB, cfg.Platform)
	a := &Area{
		store:  feed.NewStore(backends.DB, cfg.Tables),
		bucket: backends.Bucket, bus: backends.Bus, quotas: quotas,
		sources: source.NewStore(documents), alerts: alert.NewStore(documents),
		accepting: semaphore.NewWeighted(acceptBytes), itemTTL: cfg.ItemTTL, log: log,
	}
	a.poller = source.New(cfg.Sources, source.Options{Store: a.sources, Take: a.take, Key: os.Getenv, Log: log, Registry: reg})
	return a
}

// Check returns an error if a table is unavailable.
func (a *Area) Check(ctx context.Context) error {
	return errors.Join(a.store.Check(ctx), a.sources.Check(ctx))
}

// Work polls the sources until ctx is done and the polls in progress have released them.
func (a *Area) Work(ctx context.Context) error {
	a.poller.Run(ctx)
	return nil
}

// Uploaded only reports whether an object belongs to the feed: ingest stores the texts itself, so clients
// do not upload them.
func (a *Area) Uploaded(_ context.Context, o blob.Object) (mine bool, err error) {
	return strings.HasPrefix(o.Key, feed.ObjectPrefix), nil
}
