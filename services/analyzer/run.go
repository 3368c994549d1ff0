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
	"github.com/assay-project/assay/pkg/saved"
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
	service.Consuming
	sweeper.Area
}

// Prepared is an area with engines, which take seconds to compile.
type Prepared interface {
	Area
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
type Service = service.Service[Area]

// Run runs the service as a separate process until ctx is done, then finishes the work in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return service.Run(ctx, Name, cfg.Addr, cfg.OperatorAddr, cfg.Config, cfg, Open)
}

// Open connects to the backends and opens the areas of the product. The caller
// must close the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	s, sweeps, err := open(ctx, cfg, Name, backend.Open, log, reg)
	if err != nil {
		return nil, err
	}
	s.OperatorCalls = append(s.OperatorCalls, sweeps.Routes)
	s.Background = append(s.Background, sweeps.Work)
	for _, area := range s.Areas {
		if prepared, ok := area.(Prepared); ok {
			s.Background = append(s.Background, func(ctx context.Context) error { return prepare(ctx, prepared, log) })
		}
	}
	return s, nil
}

// open connects to the backends as a client and opens the areas.
func open(ctx context.Context, cfg Config, client string, connect func(context.Context, backend.Config, string, zerolog.Logger, prometheus.Registerer) (*backend.Connections, error), log zerolog.Logger, reg prometheus.Registerer) (*Service, *sweeper.Sweeper, error) {
	if err := cfg.validate(); err != nil {
		return nil, nil, config.Unusable(err)
	}
	list := entries(cfg.Areas)
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Logs = service.Streams(list), []bus.Log{libraries.Nodes()}
	backends, err := connect(ctx, cfg.Backends, client, log, reg)
	if err != nil {
		return nil, nil, err
	}
	s, err := service.New[Area](cfg.Config, quota.Config{}, nil, backends, log, reg) // without limits, which ingest applies: only counts and releases usage
	if err != nil {
		return nil, nil, err
	}
	if err := service.OpenAll(s, list, Shared{backends, work.New(cfg.Work, backends.Bus, reg, names(list)...), s.Quotas, log, reg, cfg.engines(log)}); err != nil {
		return nil, nil, err
	}
	sweeps := sweeper.New(cfg.Sweep, cfg.Work.Lease, backends.Bus, sweep.NewReports(s.Documents), saved.NewTags(backends.DB, cfg.Platform), log, reg, s.Areas)
	return s, sweeps, nil
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
	s, sweeps, err := open(ctx, cfg, "sweep", backend.Join, log, obs.NewRegistry())
	if err != nil {
		return sweeper.Report{}, err
	}
	defer s.Close()
	return sweeps.Once(ctx, o)
}

// DescribeOperator registers the operator calls for their descriptions only, which a gateway needs.
// They must not be called.
func DescribeOperator(r *web.Router) {
	(&sweeper.Sweeper{}).Routes(r)
	(&photojob.Area{}).OperatorRoutes(r)
}

// prepareAfter is the delay after the start before the service compiles engines that no work has needed
// yet. Work that is already queued takes priority.
const prepareAfter = 10 * time.Second

// prepare compiles the engines of an area in the background. It returns nil.
func prepare(ctx context.Context, area Prepared, log zerolog.Logger) error {
	select {
	case <-time.After(prepareAfter):
	case <-ctx.Done():
		return nil
	}
	if err := area.Prepare(ctx); err != nil && ctx.Err() == nil {
		log.Error().Err(err).Str("area", area.Name()).Msg("cannot compile an engine")
	}
	return nil
}
