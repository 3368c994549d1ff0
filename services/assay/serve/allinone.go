package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
	"github.com/assay-project/assay/services/query/ui"
)

// allInOne combines the three services and their engines.
type allInOne struct {
	engines  *engines
	first    string // API key of an operator, if one was just created
	services []process.Service
	log      zerolog.Logger
	dir      string   // data directory
	page     net.Addr // of the web app
	usage    *usage
	backups  *backups
}

// open starts the engines, creates tables and buckets, and opens the services. page is the address
// of the web app, which may call S3. If it returns an error, everything is closed.
func open(ctx context.Context, cfg Config, dir string, page net.Addr, log zerolog.Logger, reg prometheus.Registerer) (*allInOne, error) {
	w := &allInOne{log: log, dir: dir, page: page}
	err := w.open(ctx, cfg, dir, page, reg)
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *allInOne) open(ctx context.Context, cfg Config, dir string, page net.Addr, reg prometheus.Registerer) (err error) {
	if w.engines, err = startEngines(ctx, cfg, dir, page, w.log, reg); err != nil {
		return err
	}
	w.usage = newUsage(dir, w.log, reg)
	schedule, err := cfg.backupSchedule()
	if err = errors.Join(err, outside(dir, schedule.request.to)); err != nil {
		return config.Unusable(err)
	}
	if w.backups, err = newBackups(w.engines, dir, schedule, w.log.With().Str("part", "backup").Logger(), reg); err != nil {
		return err
	}
	// The environment variables of this process follow and take precedence.
	environ := append([]string{"ASSAY_INDEX=" + filepath.Join(dir, "search.db"), "ASSAY_ENGINES=" + filepath.Join(dir, "engines")}, w.engines.environ(cfg)...)
	installation, err := config.Load[setup.Config](environ)
	if err != nil {
		return err
	}
	if err := setup.Run(ctx, installation); err != nil {
		return err
	}
	if cfg.Exposure.Tokens() {
		if w.first, err = setup.FirstKey(ctx, installation); err != nil && !errors.Is(err, identity.ErrKeys) {
			return err
		}
	}
	return errors.Join(
		add(w, ctx, ingest.Name, ingest.Open, environ, reg),
		add(w, ctx, analyzer.Name, analyzer.Open, environ, reg),
		add(w, ctx, query.Name, query.Open, environ, reg),
	)
}

// add opens a service with its own settings and a logger with its name.
func add[C any, S process.Service](w *allInOne, ctx context.Context, name string,
	open func(context.Context, C, zerolog.Logger, prometheus.Registerer) (S, error), environ []string, reg prometheus.Registerer,
) error {
	cfg, err := config.Load[C](environ)
	if err != nil {
		return err
	}
	service, err := open(ctx, cfg, w.log.With().Str("part", name).Logger(), reg)
	if err != nil {
		return err
	}
	w.services = append(w.services, service)
	return nil
}

// Authenticate returns the caller of a request, using the first service that can authenticate callers, which is ingest.
func (w *allInOne) Authenticate(rw http.ResponseWriter, r *http.Request) (web.Caller, error) {
	for _, service := range w.services {
		if authenticating, ok := service.(process.Authenticating); ok {
			return authenticating.Authenticate(rw, r)
		}
	}
	return web.Caller{}, errors.New("no service authenticates callers")
}

// Health adds the checks of all services; shared checks run once.
func (w *allInOne) Health(h *obs.Health) {
	h.Add("s3 port", w.engines.s3.CheckPort)
	h.Add("database file", w.engines.dynamo.Check)
	h.Add("disk", func(context.Context) error { return w.Writable() })
	for _, service := range w.services {
		service.Health(h)
	}
}

// Writable returns an error while the disk is full. Write requests are then rejected, so that there is
// space for accepted work.
func (w *allInOne) Writable() error { return embedded.CheckSpace(w.dir) }

// Routes registers the calls of all services on one address.
func (w *allInOne) Routes(r *web.Router) {
	for _, service := range w.services {
		service.Routes(r)
	}
}

// OperatorRoutes registers the operator pages and the operator calls of all services.
func (w *allInOne) OperatorRoutes(r *web.Router) {
	ui.OperatorRoutes(r, w.page.String())
	w.backups.routes(r)
	for _, service := range w.services {
		if operated, ok := service.(process.Operated); ok {
			operated.OperatorRoutes(r)
		}
	}
}

// Rates returns the request limits of an owner. All services use the same quotas.
func (w *allInOne) Rates(owner string) web.Rates {
	for _, service := range w.services {
		if limited, ok := service.(process.Limited); ok {
			return limited.Rates(owner)
		}
	}
	return web.Rates{}
}

// Audit returns the recorder of operators' write operations. All services share one operator address.
func (w *allInOne) Audit() web.Audit {
	for _, service := range w.services {
		if audited, ok := service.(process.Audited); ok {
			return audited.Audit()
		}
	}
	return nil
}

// Work runs the background work of the services.
func (w *allInOne) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.usage.work(ctx) })
	group.Go(func() error { return w.backups.work(ctx) })
	for _, service := range w.services {
		group.Go(func() error { return service.Work(ctx) })
	}
	return group.Wait()
}

// Close closes the services, then the engines.
func (w *allInOne) Close() {
	for _, service := range w.services {
		service.Close()
	}
	if err := w.engines.close(); err != nil {
		w.log.Error().Err(err).Msg("an embedded engine did not stop cleanly")
	}
}
