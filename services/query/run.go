// Package query is the service for reads: files, lists, downloads, the feed's dashboard and live
// events. It makes no state transitions and writes only its own read tables.
package query

import (
	"context"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	libraries "github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/item"
	"github.com/assay-project/assay/services/query/live"
	"github.com/assay-project/assay/services/query/match"
	"github.com/assay-project/assay/services/query/mcp"
	"github.com/assay-project/assay/services/query/me"
	"github.com/assay-project/assay/services/query/rule"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/postgres"
	"github.com/assay-project/assay/services/query/search/sqlite"
	"github.com/assay-project/assay/services/query/status"
	"github.com/assay-project/assay/services/query/trace"
	"github.com/assay-project/assay/services/query/ui"
	"github.com/assay-project/assay/services/query/wait"
	"github.com/assay-project/assay/services/query/webhook"
)

// Name is the service's name in logs, metrics and event sources.
const Name = "query"

// Area is an area as used by this service. It may also be service.Working, if it fills read tables, service.Closing, and
// process.Operated, if it has operator calls.
type Area interface {
	service.Area
	service.Routed
}

// Entry describes an area in the list of the service. Its name and work stream appear in the status for operators.
type Entry = service.Entry[Shared, Area]

// Shared contains the dependencies that the areas of a service share.
type Shared struct {
	Backends *backend.Connections
	Hub      *live.Hub
	Waits    *wait.Waits
	Webhooks *webhook.Service
	Log      zerolog.Logger
	Registry prometheus.Registerer
	Engines  wasm.Config
	Indexes  search.Indexes
}

// Service is an open query service.
type Service struct {
	*service.Service[Area]
	consumers *consume.Runner
	hub       *live.Hub
	hooks     *webhook.Service
	origins   []string // origins of presigned URLs
	status    *status.Service
	dead      *status.DeadLetters
	traces    *trace.Service
	found     *find.Service
	matches   *match.Service
	rules     *rule.Service
	items     *item.Service
	mcp       mcp.Config
}

// Notices returns the licenses of the API documentation page, of the photo codecs, and of the packages in the web app.
func Notices() []string { return append([]string{web.DocsNotice(), pixels.Notice()}, ui.Notices()...) }

// Run runs the service as a separate process until ctx is done, then finishes requests in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return service.Run(ctx, Name, cfg.Addr, cfg.OperatorAddr, cfg.Config, cfg, Open)
}

// Open connects to the backends and opens the areas of the product. The
// caller must close the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	if !postgres.Is(cfg.Search.Index) {
		sqlite.RemoveEarlier(cfg.Search.Index)
	}
	backends, err := backend.Join(ctx, cfg.Backends, Name, log, reg)
	if err != nil {
		return nil, err
	}
	s, err := newService(cfg, entries(cfg.Areas), backends, log, reg)
	if err != nil {
		return nil, err
	}
	s.consumers = consume.New(backends.Bus, log, reg)
	for _, name := range []string{backends.Bucket.Bucket, cfg.PhotoJob.Names.TempBucket(), cfg.PhotoJob.Names.FinalBucket()} {
		origin, err := backends.Bucket.In(name).Origin(ctx)
		if err != nil {
			s.Close()
			return nil, err
		}
		if !slices.Contains(s.origins, origin) { // AWS has one origin per bucket, other servers have one for all
			s.origins = append(s.origins, origin)
		}
	}
	return s, nil
}

// newService opens the listed areas. It closes the backends if it returns an error.
func newService(cfg Config, list []Entry, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	base, err := service.New[Area](cfg.Config, cfg.Quotas, nil, backends, log)
	if err != nil {
		return nil, err
	}
	hub := live.New(cfg.Live, live.Options{Bus: backends.Bus, Log: log, Registry: reg})
	hooks := webhook.New(cfg.Webhooks, webhook.Options{
		Backends: backends, Documents: base.Documents, Platform: cfg.Platform, Drain: cfg.Drain, Log: log, Registry: reg,
	})
	waits := wait.New(cfg.Wait, hub)
	tags := saved.NewTags(backends.DB, cfg.Platform)
	indexes := search.Indexes{Tags: tags, Config: cfg.Search, At: indexAt, Bus: backends.Bus, Log: log, Registry: reg}
	if err := service.OpenAll(base, list, Shared{backends, hub, waits, hooks, log, reg, cfg.engines(log), indexes}); err != nil {
		return nil, err
	}
	match.Follow(hub)
	found := find.New(waits, saved.NewSearches(base.Documents))
	reports := sweep.NewReports(base.Documents)
	traces := trace.New(backends.Bus, hooks, reports)
	items := item.New(tags)
	var worked []status.Area
	for i, entry := range list {
		worked = append(worked, status.Area{Name: entry.Name, Work: entry.Work})
		if described, ok := base.Areas[i].(webhook.Area); ok {
			hooks.Describe(entry.Name, described)
		}
		if searched, ok := base.Areas[i].(find.Area); ok {
			found.Add(entry.Name, searched)
		}
		if traced, ok := base.Areas[i].(trace.Area); ok {
			traces.Add(entry.Name, entry.Work, traced)
		}
		if shown, ok := base.Areas[i].(item.Area); ok {
			items.Add(entry.Name, shown)
		}
	}
	s := &Service{Service: base, hub: hub, hooks: hooks, traces: traces, found: found, items: items, mcp: cfg.MCP}
	s.matches = match.New(match.Options{Bus: backends.Bus, Documents: base.Documents, Found: found, Drain: cfg.Drain})
	s.rules = rule.New(base.Documents, found)
	s.status = status.New(status.Options{
		Bus: backends.Bus, Checks: s.Health, Reports: reports, Log: log, Registry: reg, Areas: worked,
		Streams: []string{bus.StreamOutcomes, bus.StreamSaved, bus.StreamDead, bus.StreamAttempts, bus.StreamAudit, bus.StreamNotices, libraries.NodeStream},
	})
	s.dead = status.NewDeadLetters(backends.Bus, log, reg, worked)
	hub.OnOutcome(s.status.Outcome)
	return s, nil
}

// indexAt returns a function that opens the search index of an area: a database that query processes share, or a file.
func indexAt(index, area string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	if postgres.Is(index) {
		return postgres.At(index, area)
	}
	return sqlite.At(index, area)
}

// Health adds the checks of the backends that the service requires.
func (s *Service) Health(h *obs.Health) {
	s.Service.Health(h)
	h.Add("live events", s.hub.Check)
}

// Routes registers the service's HTTP calls and the web app.
func (s *Service) Routes(r *web.Router) {
	s.calls(r)
	s.mcp.Routes(r)
	ui.Routes(r, s.origins...)
}

func (s *Service) calls(r *web.Router) {
	s.Service.Routes(r)
	s.hub.Routes(r)
	me.Routes(r, s.Quotas)
	s.found.Routes(r)
	s.matches.Routes(r, s.hub)
	s.rules.Routes(r)
	s.items.Routes(r)
	s.hooks.Routes(r)
}

// Describe registers the service's HTTP calls only so that a gateway can describe them. Their
// handlers must not be called.
func Describe(r *web.Router) { unconnected().calls(r) }

// DescribeOperator is like Describe, but registers the calls for operators.
func DescribeOperator(r *web.Router) { unconnected().OperatorRoutes(r) }

func unconnected() *Service {
	s, err := newService(Config{}, entries(Areas{}), &backend.Connections{}, zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		panic(err) // a bug: without settings, opening the areas cannot fail
	}
	return s
}

// OperatorRoutes registers the calls for operators, and the live events of all owners.
func (s *Service) OperatorRoutes(r *web.Router) {
	s.Service.OperatorRoutes(r)
	s.hub.OperatorRoutes(r)
	s.status.Routes(r)
	s.traces.Routes(r)
	s.hooks.OperatorRoutes(r)
}

// Work fills the read tables of the areas, follows the outcomes for live events, finds the matches of saved searches, and delivers
// webhooks, until ctx is done.
func (s *Service) Work(ctx context.Context) error {
	all := []func(context.Context) error{s.hub.Run, s.status.Work, s.dead.Work, s.ReadQuotas, s.hooks.Work}
	for _, c := range slices.Concat(s.hooks.Consumers(), s.matches.Consumers()) {
		all = append(all, func(ctx context.Context) error { return s.consumers.Run(ctx, c) })
	}
	return s.Service.Work(ctx, all...)
}
