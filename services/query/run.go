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
type Service = service.Service[Area]

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
	var origins []string // of presigned URLs
	for _, name := range []string{backends.Bucket.Bucket, cfg.PhotoJob.Names.TempBucket(), cfg.PhotoJob.Names.FinalBucket()} {
		origin, err := backends.Bucket.In(name).Origin(ctx)
		if err != nil {
			s.Close()
			return nil, err
		}
		if !slices.Contains(origins, origin) { // AWS has one origin per bucket, other servers have one for all
			origins = append(origins, origin)
		}
	}
	s.Calls = append(s.Calls, cfg.MCP.Routes, func(r *web.Router) { ui.Routes(r, origins...) })
	return s, nil
}

// newService opens the listed areas. It closes the backends if it returns an error.
func newService(cfg Config, list []Entry, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	s, err := service.New[Area](cfg.Config, cfg.Quotas, nil, backends, log, reg)
	if err != nil {
		return nil, err
	}
	hub := live.New(cfg.Live, live.Options{Bus: backends.Bus, Log: log, Registry: reg})
	hooks := webhook.New(cfg.Webhooks, webhook.Options{
		Backends: backends, Documents: s.Documents, Platform: cfg.Platform, Drain: cfg.Drain, Log: log, Registry: reg,
	})
	waits := wait.New(cfg.Wait, hub)
	tags := saved.NewTags(backends.DB, cfg.Platform)
	indexes := search.Indexes{Tags: tags, Config: cfg.Search, At: indexAt, Bus: backends.Bus, Log: log, Registry: reg}
	if err := service.OpenAll(s, list, Shared{backends, hub, waits, hooks, log, reg, cfg.engines(log), indexes}); err != nil {
		return nil, err
	}
	match.Follow(hub)
	service.Each(s, list, hooks.Describe)
	found := find.New(waits, saved.NewSearches(s.Documents))
	service.Each(s, list, found.Add)
	items := item.New(tags)
	service.Each(s, list, items.Add)
	matches := match.New(match.Options{Bus: backends.Bus, Documents: s.Documents, Found: found, Drain: cfg.Drain})
	reports := sweep.NewReports(s.Documents)
	traces := trace.New(backends.Bus, hooks, reports)
	worked := make([]status.Area, len(list))
	for i, entry := range list {
		worked[i] = status.Area{Name: entry.Name, Work: entry.Work}
		if area, ok := s.Areas[i].(trace.Area); ok {
			traces.Add(entry.Name, entry.Work, area)
		}
	}
	states := status.New(status.Options{
		Bus: backends.Bus, Checks: s.Health, Reports: reports, Log: log, Registry: reg, Areas: worked,
		Streams: []string{bus.StreamOutcomes, bus.StreamSaved, bus.StreamDead, bus.StreamAttempts, bus.StreamAudit, bus.StreamNotices, libraries.NodeStream},
	})
	hub.OnOutcome(states.Outcome)
	s.Checks = append(s.Checks, func(h *obs.Health) { h.Add("live events", hub.Check) })
	s.Calls = append(s.Calls, hub.Routes, func(r *web.Router) { me.Routes(r, s.Quotas) }, found.Routes, func(r *web.Router) { matches.Routes(r, hub) },
		rule.New(s.Documents, found).Routes, items.Routes, hooks.Routes)
	s.OperatorCalls = append(s.OperatorCalls, hub.OperatorRoutes, states.Routes, traces.Routes, hooks.OperatorRoutes)
	s.Background = append(s.Background, hub.Run, states.Work, status.NewDeadLetters(backends.Bus, log, reg, worked).Work, s.Quotas.Work, hooks.Work)
	s.Consumers = slices.Concat(s.Consumers, hooks.Consumers(), matches.Consumers())
	return s, nil
}

// indexAt returns a function that opens the search index of an area: a database that query processes share, or a file.
func indexAt(index, area string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	if postgres.Is(index) {
		return postgres.At(index, area)
	}
	return sqlite.At(index, area)
}

// Describe registers the service's HTTP calls only so that a gateway can describe them. Their
// handlers must not be called.
func Describe(r *web.Router) { unconnected().Routes(r) }

// DescribeOperator is like Describe, but registers the calls for operators.
func DescribeOperator(r *web.Router) { unconnected().OperatorRoutes(r) }

func unconnected() *Service {
	s, err := newService(Config{}, entries(Areas{}), &backend.Connections{}, zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		panic(err) // a bug: without settings, opening the areas cannot fail
	}
	return s
}
