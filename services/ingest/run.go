// Package ingest is the service that accepts work: it reserves uploads, accepts content, detects
// finished uploads and publishes the first event. It writes initial states, retries and deletions;
// the analyzer makes all other transitions.
package ingest

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
	"github.com/assay-project/assay/pkg/config"
	feeditems "github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/identity"
	libraries "github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	photojobs "github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/quota"
	textfiles "github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/deadletter"
	"github.com/assay-project/assay/services/ingest/feed"
	"github.com/assay-project/assay/services/ingest/keys"
	"github.com/assay-project/assay/services/ingest/library"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/photojob"
	"github.com/assay-project/assay/services/ingest/quotas"
	"github.com/assay-project/assay/services/ingest/receive"
	"github.com/assay-project/assay/services/ingest/textfile"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Name is the name of the service in logs, metrics and event sources.
const Name = "ingest"

// Area is an area as used by this service.
type Area interface {
	notice.Area
	deadletter.Area
	// Routes registers the client calls.
	Routes(r *web.Router)
	// OperatorRoutes registers the operator calls.
	OperatorRoutes(r *web.Router)
	// Check returns an error if the area's tables are unavailable.
	Check(ctx context.Context) error
	// Work runs the background work of the area until ctx is done. It may return earlier if the
	// area has none.
	Work(ctx context.Context) error
}

// Entry describes an area in the list of a service: its work stream, which is declared before it is
// used, and a function that opens the area.
type Entry struct {
	Work bus.Work
	Open func(Shared) Area
}

// Shared contains the dependencies that all areas of a service share.
type Shared struct {
	accept.Shared
	Backends *backend.Connections
	Registry prometheus.Registerer
}

// entries lists the areas of the product.
func entries(cfg Config) []Entry {
	return []Entry{
		{textfiles.Work(), func(s Shared) Area { return textfile.New(cfg.TextFile, s.Backends, s.Shared) }},
		{feeditems.Work(), func(s Shared) Area { return feed.New(cfg.Feed, s.Backends, s.Quotas, s.Log, s.Registry) }},
		{photojobs.Work(), func(s Shared) Area { return photojob.New(cfg.PhotoJob, s.Backends, s.Shared) }},
		{libraries.Work(), func(s Shared) Area { return library.New(cfg.Library, s.Backends, s.Shared) }},
	}
}

func streams(list []Entry) []bus.Work {
	streams := make([]bus.Work, len(list))
	for i, entry := range list {
		streams[i] = entry.Work
	}
	return streams
}

// Service is an open ingest service.
type Service struct {
	identity    *identity.Identity
	tokens      bool
	keys        *keys.Service
	backends    *backend.Connections
	areas       []Area
	notices     *notice.Notices
	deadLetters *deadletter.Service
	quotas      *quota.Quotas
	audit       *audit.Log
}

// Run runs the service as a separate process until ctx is done, then finishes the work in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: Name, Title: "Assay ingest", Version: process.Version(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr, Exposure: cfg.Exposure, Drain: cfg.Drain, Log: cfg.Log,
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
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Queues = streams(list), []bus.Queue{notice.Queue()}
	backends, err := backend.Open(ctx, cfg.Backends, Name, log, reg)
	if err != nil {
		return nil, err
	}
	documents := platform.NewStore(backends.DB, cfg.Identity.Platform)
	users := libraries.NewStore(backends.DB, cfg.Library.Tables)
	ident, err := identity.New(cfg.Identity, identity.Options{Documents: documents, Log: log, Introduce: func(ctx context.Context, owner string, u web.User) error {
		return users.Introduce(ctx, owner, libraries.Person(u))
	}})
	if err != nil {
		backends.Close()
		return nil, config.Unusable(err)
	}
	quotas := quota.New(cfg.Quotas, cfg.Platform, backends.DB, log)
	all := openAll(list, Shared{accept.Shared{
		Bus: backends.Bus, Receiver: receive.New(cfg.Receive), Parts: parts.New(cfg.Receive, backends.Bucket), Quotas: quotas,
		Withdrawn: withdrawn.New(platform.NewStore(backends.DB, cfg.Platform)), Log: log,
	}, backends, reg})
	return &Service{
		backends: backends, areas: all, identity: ident, tokens: cfg.Exposure.Tokens(), keys: keys.New(identity.NewKeys(documents, time.Now)),
		notices:     notice.New(cfg.Notices, cfg.Drain, backends, log, reg, all),
		deadLetters: deadletter.New(backends.Bus, all),
		quotas:      quotas,
		audit:       audit.New(backends.Bus, log),
	}, nil
}

func openAll(list []Entry, shared Shared) []Area {
	areas := make([]Area, len(list))
	for i, entry := range list {
		areas[i] = entry.Open(shared)
	}
	return areas
}

// Health adds health checks for the backends that the service requires.
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

// Authenticate returns the caller of a request. A process that requires credentials calls it.
func (s *Service) Authenticate(w http.ResponseWriter, r *http.Request) (web.Caller, error) {
	return s.identity.Authenticate(w, r)
}

// Routes registers the client calls.
func (s *Service) Routes(r *web.Router) {
	s.identity.Routes(r, s.tokens)
	for _, area := range s.areas {
		area.Routes(r)
	}
}

// Describe registers the client calls for a gateway, which needs only their descriptions. They must
// not be called.
func Describe(r *web.Router) { unconnected().Routes(r) }

func unconnected() *Service {
	areas := openAll(entries(Config{}), Shared{accept.Shared{
		Receiver: receive.New(receive.Config{}), Parts: parts.New(receive.Config{}, nil),
		Quotas: quota.New(quota.Config{}, platform.Config{}, nil, zerolog.Nop()), Log: zerolog.Nop(),
	}, &backend.Connections{}, prometheus.NewRegistry()})
	ident, err := identity.New(identity.Config{}, identity.Options{})
	if err != nil {
		panic(err) // a bug: the default settings are valid
	}
	return &Service{areas: areas, deadLetters: deadletter.New(nil, areas), identity: ident, keys: keys.New(nil), audit: audit.New(nil, zerolog.Nop())}
}

// DescribeOperator is like Describe, but registers the operator calls.
func DescribeOperator(r *web.Router) { unconnected().OperatorRoutes(r) }

// OperatorRoutes registers the operator calls.
func (s *Service) OperatorRoutes(r *web.Router) {
	s.deadLetters.Routes(r)
	s.keys.Routes(r)
	quotas.Routes(r, s.quotas)
	s.audit.Routes(r)
	for _, area := range s.areas {
		area.OperatorRoutes(r)
	}
}

// Work runs the background work of the service until ctx is done and messages in progress are
// processed or returned to their streams.
func (s *Service) Work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.notices.Work(ctx) })
	group.Go(func() error {
		s.quotas.Work(ctx)
		return nil
	})
	for _, area := range s.areas {
		group.Go(func() error { return area.Work(ctx) })
	}
	return group.Wait()
}

// Rates returns the request limits of owners in this process.
func (s *Service) Rates(owner string) web.Rates { return s.quotas.Of(owner).Rates() }

// Audit returns the log of write operations by operators.
func (s *Service) Audit() web.Audit { return s.audit.Record }

// Close closes the connections. It must be called after Work has returned.
func (s *Service) Close() { s.backends.Close() }
