// Package analyzer is the service that processes items: it consumes work events, claims items,
// processes them, records the result and the next state, and publishes the outcome. Any number of
// analyzers share the work.
package analyzer

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

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
	libraries "github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/photojob"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Name is the name of the service in logs, metrics and event sources.
const Name = "analyzer"

// Area is an area as used by this service. It may also be Prepared and service.Releasing, if it has engines, and
// process.Operated, if it has operator calls.
type Area interface {
	service.Area
	sweeper.Area
	// Consumers returns the consumers of the area's work stream.
	Consumers() []bus.Consumer
}

// Prepared is an area with engines, which take seconds to compile.
type Prepared interface {
	// Prepare waits until the engines are compiled, or ctx is done. Work that needs an engine also waits.
	Prepare(ctx context.Context) error
}

// Entry describes an area in the list of the service.
type Entry = service.Entry[Shared, Area]

// Shared contains the dependencies that all areas of a service share.
type Shared struct {
	Backends *backend.Connections
	Worker   *work.Worker
	Quotas   *quota.Quotas
	Log      zerolog.Logger
	Registry prometheus.Registerer
	Engines  wasm.Config
}

// Notices returns the license texts of the data and programs that the service includes.
func Notices() []string {
	return []string{web.DocsNotice(), sentiment.Notice(), photo.Notice(), pixels.Notice(), pdf.Notice(), svg.Notice(), rdkit.Notice()}
}

// Service is an open analyzer. It has no client calls: it receives its work through events.
type Service struct {
	*service.Service[Area]
	consumers *consume.Runner
	sweeper   *sweeper.Sweeper
}

// Run runs the service as a separate process until ctx is done, then finishes the work in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return service.Run(ctx, Name, cfg.Addr, cfg.OperatorAddr, cfg.Config, cfg, Open)
}

// Open connects to the backends and opens the areas of the product. The caller
// must close the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	return open(ctx, cfg, entries(cfg.Areas), Name, backend.Open, log, reg)
}

// open connects to the backends as a client and opens the listed areas.
func open(ctx context.Context, cfg Config, list []Entry, client string, connect func(context.Context, backend.Config, string, zerolog.Logger, prometheus.Registerer) (*backend.Connections, error), log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Logs = service.Streams(list), []bus.Log{libraries.Nodes()}
	backends, err := connect(ctx, cfg.Backends, client, log, reg)
	if err != nil {
		return nil, err
	}
	base, err := service.New[Area](cfg.Config, quota.Config{}, nil, backends, log) // without limits, which ingest applies: only counts and releases usage
	if err != nil {
		return nil, err
	}
	if err := service.OpenAll(base, list, Shared{backends, work.New(cfg.Work, backends.Bus, reg, names(list)...), base.Quotas, log, reg, cfg.engines(log)}); err != nil {
		return nil, err
	}
	return &Service{
		Service: base, consumers: consume.New(backends.Bus, log, reg),
		sweeper: sweeper.New(cfg.Sweep, cfg.Work.Lease, backends.Bus, sweep.NewReports(base.Documents), log, reg, base.Areas),
	}, nil
}

func names(list []Entry) []string {
	all := make([]string, len(list))
	for i, entry := range list {
		all[i] = entry.Name
	}
	return all
}

// Sweep sweeps all areas once, completely, whereas the timer of a running analyzer sweeps them in
// parts. It declares no streams or tables. The error names the data that could not be read; the
// report covers the sweep up to that point.
func Sweep(ctx context.Context, cfg Config, o sweeper.Options, log zerolog.Logger) (sweeper.Report, error) {
	s, err := open(ctx, cfg, entries(cfg.Areas), "sweep", backend.Join, log, obs.NewRegistry())
	if err != nil {
		return sweeper.Report{}, err
	}
	defer s.Close()
	return s.sweeper.Once(ctx, o)
}

// OperatorRoutes registers the operator calls: sweeps, and those of the areas.
func (s *Service) OperatorRoutes(r *web.Router) {
	s.sweeper.Routes(r)
	s.Service.OperatorRoutes(r)
}

// DescribeOperator registers the operator calls for their descriptions only, which a gateway needs.
// They must not be called.
func DescribeOperator(r *web.Router) {
	(&Service{Service: &service.Service[Area]{Areas: []Area{&photojob.Area{}}}, sweeper: &sweeper.Sweeper{}}).OperatorRoutes(r)
}

// Work consumes and sweeps until ctx is done and the work in progress is finished or returned to
// the stream.
func (s *Service) Work(ctx context.Context) error {
	all := []func(context.Context) error{s.sweeper.Work}
	for _, area := range s.Areas {
		all = append(all, func(ctx context.Context) error {
			s.prepare(ctx, area)
			return nil
		})
		for _, consumer := range area.Consumers() {
			all = append(all, func(ctx context.Context) error { return s.consumers.Run(ctx, consumer) })
		}
	}
	return s.Service.Work(ctx, all...)
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
		s.Log.Error().Err(err).Str("area", area.Name()).Msg("cannot compile an engine")
	}
}
