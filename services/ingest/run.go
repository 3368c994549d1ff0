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
	"github.com/assay-project/assay/pkg/bus/consume"
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

// Entry describes an area in the list of the service.
type Entry = service.Entry[Shared, Area]

// Shared contains the dependencies that all areas of a service share.
type Shared struct {
	accept.Shared
	Backends *backend.Connections
	Registry prometheus.Registerer
}

// Service is an open ingest service.
type Service struct {
	*service.Service[Area]
	tokens      bool
	keys        *keys.Service
	consumers   *consume.Runner
	notices     *notice.Notices
	deadLetters *deadletter.Service
	webhooks    *webhook.Service
	send        *send.Service
	tags        *tag.Service
	searches    *savedsearch.Service
	rules       *rule.Service
}

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
	s, err := newService(cfg, list, backends, log, reg)
	if err == nil {
		s.consumers = consume.New(backends.Bus, log, reg)
		s.notices = notice.New(cfg.Notices, cfg.Drain, backends, s.consumers, log, s.Areas)
	}
	return s, err
}

// newService opens the listed areas. It closes the backends if it returns an error.
func newService(cfg Config, list []Entry, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) (*Service, error) {
	users := libraries.NewStore(backends.DB, cfg.Library.Tables)
	base, err := service.New[Area](cfg.Config, cfg.Quotas, func(ctx context.Context, owner string, u web.User) error {
		return users.Introduce(ctx, owner, libraries.Person(u))
	}, backends, log)
	if err != nil {
		return nil, err
	}
	tags := saved.NewTags(backends.DB, cfg.Platform)
	err = service.OpenAll(base, list, Shared{accept.Shared{
		Bus: backends.Bus, Receiver: receive.New(cfg.Receive), Parts: parts.New(cfg.Receive, backends.Bucket), Quotas: base.Quotas,
		Withdrawn: withdrawn.New(base.Documents), Webhooks: endpoints.NewEndpoints(base.Documents), Tags: tags, Log: log,
	}, backends, reg})
	if err != nil {
		return nil, err
	}
	var areas []string
	var dead []deadletter.Named
	named := map[string]Area{}
	tagged := tag.New(tags, backends.Bus)
	movers := map[string]func(ctx context.Context, c web.Caller, id, folder string) error{}
	for i, entry := range list {
		areas = append(areas, entry.Name)
		named[entry.Name] = base.Areas[i]
		if seen, ok := base.Areas[i].(tag.Area); ok {
			tagged.Add(entry.Name, seen)
		}
		if foldered, ok := base.Areas[i].(interface {
			Move(ctx context.Context, c web.Caller, id, folder string) error
		}); ok {
			movers[entry.Name] = foldered.Move
		}
		dead = append(dead, deadletter.Named{Area: base.Areas[i], Name: entry.Name, Work: entry.Work})
	}
	sender := send.New(named)
	return &Service{
		Service: base, tokens: cfg.Exposure.Tokens(), keys: keys.New(identity.NewKeys(base.Documents, time.Now)),
		deadLetters: deadletter.New(backends.Bus, dead), webhooks: webhook.New(cfg.Webhooks, base.Documents, areas), send: sender,
		tags: tagged, searches: savedsearch.New(saved.NewSearches(base.Documents), areas),
		rules: rule.New(rule.Options{
			Bus: backends.Bus, Documents: base.Documents, Areas: slices.Sorted(slices.Values(areas)), Photos: photojobs.Name, Tags: tagged, Sender: sender, Movers: movers,
			Lease: cfg.Notices.Lease, Drain: cfg.Drain,
		}),
	}, nil
}

// Routes registers the client calls.
func (s *Service) Routes(r *web.Router) {
	s.Identity.Routes(r, s.tokens)
	s.Service.Routes(r)
	s.send.Routes(r)
	s.webhooks.Routes(r)
	s.tags.Routes(r)
	s.searches.Routes(r)
	s.rules.Routes(r)
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

// OperatorRoutes registers the operator calls.
func (s *Service) OperatorRoutes(r *web.Router) {
	s.deadLetters.Routes(r)
	s.keys.Routes(r)
	quotas.Routes(r, s.Quotas)
	s.webhooks.OperatorRoutes(r)
	s.AuditRoutes(r)
	s.Service.OperatorRoutes(r)
}

// Work runs the background work of the service until ctx is done and messages in progress are
// processed or returned to their streams.
func (s *Service) Work(ctx context.Context) error {
	return s.Service.Work(ctx, s.notices.Work, s.ReadQuotas, func(ctx context.Context) error {
		return s.consumers.Run(ctx, s.rules.Consumer())
	})
}
