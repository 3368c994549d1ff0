// Package analyzer is the service that processes items: it consumes work events, claims items,
// processes them, records the result and the next state, and publishes the outcome. Any number of
// analyzers share the work.
package analyzer

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/audit"
	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/sentiment"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/extract/wasm"
	feeditems "github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/identity"
	files "github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	photojobs "github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/sweep"
	textfiles "github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/feed"
	"github.com/assay-project/assay/services/analyzer/library"
	"github.com/assay-project/assay/services/analyzer/photojob"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/textfile"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Name is the name of the service in logs, metrics and event sources.
const Name = "analyzer"

// Area is an area as used by this service.
type Area interface {
	sweeper.Area
	// Consumers returns the consumers of the area's work stream.
	Consumers() []bus.Consumer
	// Check returns an error if the area's tables cannot be used.
	Check(ctx context.Context) error
}

// Prepared is an area with engines, which take seconds to compile.
type Prepared interface {
	// Prepare waits until the engines are compiled, or ctx is done. Work that needs an engine also waits.
	Prepare(ctx context.Context) error
}

// Closer is an area that runs engines.
type Closer interface {
	// Close releases the engines. It returns wasm.ErrCompiling if ctx is done during a compilation.
	Close(ctx context.Context) error
}

// Entry describes an area in the list of a service: its work stream, which is declared before it is
// used, and a function that opens the area.
type Entry struct {
	Work bus.Work
	Open func(Shared) (Area, error)
}

// Shared contains the dependencies that all areas of a service share.
type Shared struct {
	Backends *backend.Connections
	Worker   *work.Worker
	Quotas   *quota.Quotas
	Log      zerolog.Logger
	Registry prometheus.Registerer
	Engines  wasm.Config
}

// entries lists the areas of the product.
func entries(cfg Config) []Entry {
	return []Entry{
		{textfiles.Work(), func(s Shared) (Area, error) {
			return textfile.New(cfg.TextFile, s.Backends, s.Worker, s.Quotas, s.Log), nil
		}},
		{feeditems.Work(), func(s Shared) (Area, error) { return feed.New(cfg.Feed, s.Backends, s.Worker, s.Quotas), nil }},
		{photojobs.Work(), func(s Shared) (Area, error) {
			return photojob.New(cfg.PhotoJob, s.Engines, s.Backends, s.Worker, s.Quotas, s.Log, s.Registry)
		}},
		{files.Work(), func(s Shared) (Area, error) {
			return library.New(cfg.Library, s.Engines, s.Backends, s.Worker, s.Quotas, s.Log)
		}},
	}
}

func streams(list []Entry) []bus.Work {
	streams := make([]bus.Work, len(list))
	for i, entry := range list {
		streams[i] = entry.Work
	}
	return streams
}

// Notices returns the license texts of the data and programs that the service includes.
func Notices() []string {
	return []string{web.DocsNotice(), sentiment.Notice(), photo.Notice(), pixels.Notice(), pdf.Notice(), svg.Notice(), rdkit.Notice()}
}

// Service is an open analyzer.
type Service struct {
	identity  *identity.Identity
	backends  *backend.Connections
	areas     []Area
	consumers *consume.Runner
	sweeper   *sweeper.Sweeper
	audit     *audit.Log
	log       zerolog.Logger
}

// Run runs the service as a separate process until ctx is done, then finishes the work in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: Name, Title: "Assay analyzer", Version: process.Version(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr, Exposure: cfg.Exposure, Drain: cfg.Work.Drain, Log: cfg.Log,
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (*Service, error) {
		return Open(ctx, cfg, log, reg)
	})
}

// Open connects to the backends and opens the areas of the product and those in more. The caller
// must close the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer, more ...Entry) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	list := append(entries(cfg), more...)
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Logs = streams(list), []bus.Log{files.Nodes()}
	backends, err := backend.Open(ctx, cfg.Backends, Name, log, reg)
	if err != nil {
		return nil, err
	}
	return newService(cfg, list, backends, log, reg)
}

// newService opens the areas of the list. It closes the backends if it returns an error.
func newService(cfg Config, list []Entry, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	callers, err := identity.New(cfg.Identity, identity.Options{Documents: platform.NewStore(backends.DB, cfg.Identity.Platform), Log: log})
	if err != nil {
		backends.Close()
		return nil, config.Unusable(err)
	}
	quotas := quota.New(quota.Config{}, cfg.Platform, backends.DB, log) // only counts and releases usage; ingest applies the limits
	shared := Shared{backends, work.New(cfg.Work, backends.Bus, reg), quotas, log, reg, cfg.engines(log)}
	all := make([]Area, len(list))
	for i, entry := range list {
		if all[i], err = entry.Open(shared); err != nil {
			backends.Close()
			return nil, err
		}
	}
	return &Service{
		identity: callers, backends: backends, areas: all,
		consumers: consume.New(backends.Bus, log, reg),
		sweeper:   sweeper.New(cfg.Sweep, cfg.Work.Lease, backends.Bus, sweep.NewReports(platform.NewStore(backends.DB, cfg.Sweep.Platform)), log, reg, all),
		audit:     audit.New(backends.Bus, log),
		log:       log,
	}, nil
}

// Sweep sweeps all areas once, completely, whereas the timer of a running analyzer sweeps them in
// parts. It declares no streams or tables. The error names the data that could not be read; the
// report covers the sweep up to that point.
func Sweep(ctx context.Context, cfg Config, o sweeper.Options, log zerolog.Logger) (sweeper.Report, error) {
	if err := cfg.validate(); err != nil {
		return sweeper.Report{}, config.Unusable(err)
	}
	reg := obs.NewRegistry()
	list := entries(cfg)
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Logs = streams(list), []bus.Log{files.Nodes()}
	backends, err := backend.Join(ctx, cfg.Backends, "sweep", log, reg)
	if err != nil {
		return sweeper.Report{}, err
	}
	s, err := newService(cfg, list, backends, log, reg)
	if err != nil {
		return sweeper.Report{}, err
	}
	defer s.Close()
	return s.sweeper.Once(ctx, o)
}

// Health adds the checks of the backends that the service requires.
func (s *Service) Health(h *obs.Health) {
	s.backends.Health(h)
	h.Add("dynamodb", func(ctx context.Context) error {
		var failed []error
		for _, area := range s.areas {
			failed = append(failed, area.Check(ctx))
		}
		return errors.Join(failed...)
	})
}

// Authenticate returns the caller of a request, for a process that requires credentials.
func (s *Service) Authenticate(w http.ResponseWriter, r *http.Request) (web.Caller, error) {
	return s.identity.Authenticate(w, r)
}

// Routes registers nothing: the analyzer receives its work through events.
func (s *Service) Routes(*web.Router) {}

// OperatorRoutes registers the operator calls: sweeps, and those of the areas.
func (s *Service) OperatorRoutes(r *web.Router) {
	s.sweeper.Routes(r)
	for _, area := range s.areas {
		if operated, ok := area.(process.Operated); ok {
			operated.OperatorRoutes(r)
		}
	}
}

// DescribeOperator registers the operator calls for their descriptions only, which a gateway needs.
// They must not be called.
func DescribeOperator(r *web.Router) {
	(&Service{sweeper: &sweeper.Sweeper{}, areas: []Area{&photojob.Area{}}}).OperatorRoutes(r)
}

// Audit returns the log of write operations by operators.
func (s *Service) Audit() web.Audit { return s.audit.Record }

// Work consumes and sweeps until ctx is done and the work in progress is finished or returned to
// the stream.
func (s *Service) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, area := range s.areas {
		group.Go(func() error {
			s.prepare(ctx, area)
			return nil
		})
		for _, consumer := range area.Consumers() {
			group.Go(func() error { return s.consumers.Run(ctx, consumer) })
		}
	}
	group.Go(func() error { return s.sweeper.Work(ctx) })
	return group.Wait()
}

// prepareAfter is the delay after the start before the service compiles engines that no work has needed
// yet. Work that is already queued takes priority.
const prepareAfter = 10 * time.Second

// prepare compiles the engines of an area in the background.
func (s *Service) prepare(ctx context.Context, area Area) {
	prepared, ok := area.(Prepared)
	if !ok {
		return
	}
	select {
	case <-time.After(prepareAfter):
	case <-ctx.Done():
		return
	}
	if err := prepared.Prepare(ctx); err != nil && ctx.Err() == nil {
		s.log.Error().Err(err).Str("area", area.Name()).Msg("cannot compile an engine")
	}
}

// closeTime bounds the wait for a compilation. The exit of the process stops the compilation.
const closeTime = time.Second

// Close releases the engines and closes the connections. It must be called after Work has returned.
func (s *Service) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for _, area := range s.areas {
		closer, ok := area.(Closer)
		if !ok {
			continue
		}
		if err := closer.Close(ctx); err != nil {
			s.log.Debug().Err(err).Str("area", area.Name()).Msg("cannot release an engine")
		}
	}
	s.backends.Close()
}
