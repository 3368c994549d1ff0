// Package ingest is the service that accepts work: it reserves uploads, accepts content, detects
// finished uploads and publishes the first event. It writes initial states, retries and deletions;
// the analyzer makes all other transitions.
package ingest

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/identity"
	libraries "github.com/assay-project/assay/pkg/library"
	photojobs "github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/pkg/web"
	endpoints "github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/deadletter"
	"github.com/assay-project/assay/services/ingest/keys"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/quotas"
	"github.com/assay-project/assay/services/ingest/receive"
	"github.com/assay-project/assay/services/ingest/rule"
	"github.com/assay-project/assay/services/ingest/savedsearch"
	"github.com/assay-project/assay/services/ingest/send"
	"github.com/assay-project/assay/services/ingest/tag"
	"github.com/assay-project/assay/services/ingest/webhook"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// Name is the name of the service in logs, metrics and event sources.
const Name = "ingest"

// Area is an area as used by this service. It may also be service.Working, if it has background work, and
// process.Operated, if it has operator calls.
type Area interface {
	service.Area
	service.Routed
	notice.Area
	deadletter.Area
}

// mover is an area whose items users can move to folders.
type mover interface {
	Move(ctx context.Context, c web.Caller, id, folder string) error
}

// Entry describes an area in the list of the service.
type Entry = service.Entry[Shared, Area]

// Shared contains the dependencies that all areas of a service share.
type Shared struct {
	accept.Shared
	Backends *backend.Connections
	Registry prometheus.Registerer
}

// Service is an open ingest service.
type Service = service.Service[Area]

// Run runs the service as a separate process until ctx is done, then finishes the work in progress
// and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return service.Run(ctx, Name, cfg.Addr, cfg.OperatorAddr, cfg.Config, cfg, Open)
}

// Open connects to the backends and opens the areas of the product. The caller
// must close the Service.
func Open(ctx context.Context, cfg Config, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	if err := cfg.validate(); err != nil {
		return nil, config.Unusable(err)
	}
	list := entries(cfg.Areas)
	cfg.Backends.NATS.Work, cfg.Backends.NATS.Queues = service.Streams(list), []bus.Queue{notice.Queue()}
	backends, err := backend.Open(ctx, cfg.Backends, Name, log, reg)
	if err != nil {
		return nil, err
	}
	return newService(cfg, list, backends, log, reg)
}

// newService opens the listed areas. It closes the backends if it returns an error.
func newService(cfg Config, list []Entry, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	users := libraries.NewStore(backends.DB, cfg.Library.Tables)
	s, err := service.New[Area](cfg.Config, cfg.Quotas, func(ctx context.Context, owner string, u web.User) error {
		return users.Introduce(ctx, owner, libraries.Person(u))
	}, backends, log, reg)
	if err != nil {
		return nil, err
	}
	s.Calls = append(s.Calls, func(r *web.Router) { s.Identity.Routes(r, cfg.Exposure.Tokens()) })
	tags := saved.NewTags(backends.DB, cfg.Platform)
	err = service.OpenAll(s, list, Shared{accept.Shared{
		Bus: backends.Bus, Receiver: receive.New(cfg.Receive), Parts: parts.New(cfg.Receive, backends.Bucket), Quotas: s.Quotas,
		Withdrawn: withdrawn.New(s.Documents), Webhooks: endpoints.NewEndpoints(s.Documents), Tags: tags, Log: log,
	}, backends, reg})
	if err != nil {
		return nil, err
	}
	var areas []string
	var dead []deadletter.Named
	named := map[string]Area{}
	for i, entry := range list {
		areas = append(areas, entry.Name)
		named[entry.Name] = s.Areas[i]
		dead = append(dead, deadletter.Named{Area: s.Areas[i], Name: entry.Name, Work: entry.Work})
	}
	tagged := tag.New(tags, backends.Bus)
	service.Each(s, list, tagged.Add)
	movers := map[string]func(ctx context.Context, c web.Caller, id, folder string) error{}
	service.Each(s, list, func(name string, area mover) { movers[name] = area.Move })
	sender, hooks := send.New(named), webhook.New(cfg.Webhooks, s.Documents, areas)
	notices := notice.New(cfg.Notices, cfg.Drain, backends, log, s.Areas)
	rules := rule.New(rule.Options{
		Bus: backends.Bus, Documents: s.Documents, Areas: slices.Sorted(slices.Values(areas)), Photos: photojobs.Name, Tags: tagged, Sender: sender, Movers: movers,
		Lease: cfg.Notices.Lease, Drain: cfg.Drain,
	})
	s.Calls = append(s.Calls, sender.Routes, hooks.Routes, tagged.Routes, savedsearch.New(saved.NewSearches(s.Documents), areas).Routes, rules.Routes)
	s.OperatorCalls = append(s.OperatorCalls, deadletter.New(backends.Bus, dead).Routes, keys.New(identity.NewKeys(s.Documents, time.Now)).Routes,
		func(r *web.Router) { quotas.Routes(r, s.Quotas) }, hooks.OperatorRoutes, s.AuditLog.Routes)
	s.Background = append(s.Background, notices.Work, s.Quotas.Work)
	s.Consumers = append(s.Consumers, notices.Consumer(), rules.Consumer())
	return s, nil
}

// Describe registers the client calls for a gateway, which needs only their descriptions. They must
// not be called.
func Describe(r *web.Router) { unconnected().Routes(r) }

// DescribeOperator is like Describe, but registers the operator calls.
func DescribeOperator(r *web.Router) { unconnected().OperatorRoutes(r) }

func unconnected() *Service {
	s, err := newService(Config{}, entries(Areas{}), &backend.Connections{}, zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		panic(err) // a bug: without settings, opening the areas cannot fail
	}
	return s
}
