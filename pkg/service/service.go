// Package service is what ingest, analyzer and query share: a list of areas on open backends, with their health checks,
// calls, consumers and background work, and the callers, quotas and audit log of the service. An area implements what it has; see
// Routed, process.Operated, Working, Consuming, Closing and Releasing. What a service has besides its areas, it appends to the
// lists of its Service.
package service

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
	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
)

// Area is an area as used by every service.
type Area interface {
	// Check returns an error while the tables of the area are unavailable.
	Check(context.Context) error
}

// Routed is an area with client calls.
type Routed interface{ Routes(*web.Router) }

// Working is an area with background work.
type Working interface {
	// Work runs until ctx is done. It may return earlier.
	Work(ctx context.Context) error
}

// Consuming is an area with consumers.
type Consuming interface {
	// Consumers returns the consumers of the area's streams.
	Consumers() []bus.Consumer
}

// Closing is an area with resources.
type Closing interface {
	// Close releases them. No request or work may be in progress.
	Close()
}

// Releasing is an area with engines.
type Releasing interface {
	// Close releases the engines. It returns an error if ctx is done during a compilation.
	Close(ctx context.Context) error
}

// Entry describes an area in the list of a service: its name and work stream, which is declared before it is used, and a
// function that opens the area with S, what the areas of the service share.
type Entry[S any, A Area] struct {
	Name string
	Work bus.Work
	Open func(S) (A, error)
}

// Streams returns the work streams of a list.
func Streams[S any, A Area](list []Entry[S, A]) []bus.Work {
	streams := make([]bus.Work, len(list))
	for i, entry := range list {
		streams[i] = entry.Work
	}
	return streams
}

// Config holds the settings that every service has, besides its addresses.
type Config struct {
	Drain    time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"maximum time for requests and work in progress to finish on shutdown"`
	Platform platform.Config
	Exposure process.Exposure
	Identity identity.Config
	Log      obs.Config
	Backends backend.Config
}

// Service is an open service. It implements the interfaces of package process. The lists contain what its areas have, in the order
// of the areas, and what it has besides them.
type Service[A Area] struct {
	Backends  *backend.Connections
	Documents *platform.Store
	Identity  *identity.Identity
	Quotas    *quota.Quotas
	AuditLog  *audit.Log
	Areas     []A
	Log       zerolog.Logger

	Checks        []func(*obs.Health)           // add checks
	Calls         []func(*web.Router)           // register client calls
	OperatorCalls []func(*web.Router)           // register operator calls
	Background    []func(context.Context) error // run until ctx is done, or return earlier
	Consumers     []bus.Consumer

	registry prometheus.Registerer
}

// New returns a service without areas on open backends, which it closes if it returns an error. introduce is that of
// identity.Options.
func New[A Area](cfg Config, quotas quota.Config, introduce func(context.Context, string, web.User) error, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service[A], error) {
	documents := platform.NewStore(backends.DB, cfg.Platform)
	callers, err := identity.New(cfg.Identity, identity.Options{Documents: documents, Introduce: introduce, Log: log})
	if err != nil {
		backends.Close()
		return nil, config.Unusable(err)
	}
	return &Service[A]{
		Backends: backends, Documents: documents, Identity: callers, Quotas: quota.New(quotas, cfg.Platform, backends.DB, log), AuditLog: audit.New(backends.Bus, log),
		Log: log, registry: reg,
	}, nil
}

// OpenAll opens the areas of a list. It closes the service if it returns an error.
func OpenAll[S any, A Area](s *Service[A], list []Entry[S, A], shared S) error {
	for _, entry := range list {
		area, err := entry.Open(shared)
		if err != nil {
			s.Close()
			return err
		}
		s.Areas = append(s.Areas, area)
		if routed, ok := any(area).(Routed); ok {
			s.Calls = append(s.Calls, routed.Routes)
		}
		if operated, ok := any(area).(process.Operated); ok {
			s.OperatorCalls = append(s.OperatorCalls, operated.OperatorRoutes)
		}
		if working, ok := any(area).(Working); ok {
			s.Background = append(s.Background, working.Work)
		}
		if consuming, ok := any(area).(Consuming); ok {
			s.Consumers = append(s.Consumers, consuming.Consumers()...)
		}
	}
	return nil
}

// Each calls do for the open areas of a list that implement T.
func Each[T, S any, A Area](s *Service[A], list []Entry[S, A], do func(name string, area T)) {
	for i, entry := range list {
		if area, ok := any(s.Areas[i]).(T); ok {
			do(entry.Name, area)
		}
	}
}

// Run runs a service as a separate process until ctx is done, then finishes the work in progress and returns nil. cfg
// contains its settings, base among them.
func Run[C any, S process.Service](ctx context.Context, name, addr, operatorAddr string, base Config, cfg C, open func(context.Context, C, zerolog.Logger, prometheus.Registerer) (S, error)) error {
	return process.Serve(ctx, process.Options{
		Name: name, Title: "Assay " + name, Version: process.Version(), Addr: addr, OperatorAddr: operatorAddr, Exposure: base.Exposure, Drain: base.Drain, Log: base.Log,
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (S, error) {
		return open(ctx, cfg, log, reg)
	})
}

// Health adds the checks of the backends, of the areas' tables and of the service.
func (s *Service[A]) Health(h *obs.Health) {
	s.Backends.Health(h)
	h.Add("dynamodb", func(ctx context.Context) error {
		var failed []error
		for _, area := range s.Areas {
			failed = append(failed, area.Check(ctx))
		}
		return errors.Join(failed...)
	})
	for _, check := range s.Checks {
		check(h)
	}
}

// Authenticate returns the caller of a request. A process that requires credentials calls it.
func (s *Service[A]) Authenticate(w http.ResponseWriter, r *http.Request) (web.Caller, error) {
	return s.Identity.Authenticate(w, r)
}

// Routes registers the client calls.
func (s *Service[A]) Routes(r *web.Router) {
	for _, register := range s.Calls {
		register(r)
	}
}

// OperatorRoutes registers the operator calls.
func (s *Service[A]) OperatorRoutes(r *web.Router) {
	for _, register := range s.OperatorCalls {
		register(r)
	}
}

// Work runs the consumers and the background work until ctx is done, and messages in progress are processed or returned to their
// streams.
func (s *Service[A]) Work(ctx context.Context) error {
	consumers := consume.New(s.Backends.Bus, s.Log, s.registry)
	group, ctx := errgroup.WithContext(ctx)
	for _, work := range s.Background {
		group.Go(func() error { return work(ctx) })
	}
	for _, c := range s.Consumers {
		group.Go(func() error { return consumers.Run(ctx, c) })
	}
	return group.Wait()
}

// Rates returns the request limits of an owner per process.
func (s *Service[A]) Rates(owner string) web.Rates { return s.Quotas.Of(owner).Rates() }

// Audit returns the recorder of operators' write operations.
func (s *Service[A]) Audit() web.Audit { return s.AuditLog.Record }

// closeTime bounds the wait for a compilation. The exit of the process stops the compilation.
const closeTime = time.Second

// Close closes the areas, then the connections. It must be called after Work has returned.
func (s *Service[A]) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for _, area := range s.Areas {
		switch area := any(area).(type) {
		case Closing:
			area.Close()
		case Releasing:
			if err := area.Close(ctx); err != nil {
				s.Log.Debug().Err(err).Msg("cannot release an engine")
			}
		}
	}
	s.Backends.Close()
}
