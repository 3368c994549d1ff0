// Package gateway serves separately running services at two addresses: the calls of ingest and query
// with the web app, and the operator calls of all three with the operator pages. Each address has one
// API description, as in `assay serve`. The gateway uses only HTTP to reach the services and has no
// credentials.
package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
	"github.com/assay-project/assay/services/query/ui"
)

// Config configures the gateway.
type Config struct {
	Addr         string        `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8080" use:"often" doc:"address of the HTTP API, the web app and the health checks"`
	OperatorAddr string        `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8087" use:"often" doc:"address of the operator endpoints: pages, calls and metrics; they require credentials only with ASSAY_AUTH=token"`
	Ingest       string        `env:"ASSAY_INGEST_URL" envDefault:"http://127.0.0.1:8081" use:"often" doc:"URL of ingest"`
	Query        string        `env:"ASSAY_QUERY_URL" envDefault:"http://127.0.0.1:8083" use:"often" doc:"URL of query"`
	Drain        time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"maximum time for requests and work in progress to finish on shutdown"`

	IngestOperator   string `env:"ASSAY_INGEST_OPERATOR_URL" envDefault:"http://127.0.0.1:8084" use:"often" doc:"operator URL of ingest"`
	QueryOperator    string `env:"ASSAY_QUERY_OPERATOR_URL" envDefault:"http://127.0.0.1:8085" use:"often" doc:"operator URL of query"`
	AnalyzerOperator string `env:"ASSAY_ANALYZER_OPERATOR_URL" envDefault:"http://127.0.0.1:8086" use:"often" doc:"operator URL of an analyzer"`

	Exposure process.Exposure
	Log      obs.Config
}

// Service is an open gateway.
type Service struct {
	cfg       Config
	behind    map[string]*url.URL // addresses for clients, by service name
	operated  map[string]*url.URL // addresses for operators, by service name
	transport *http.Transport
	log       zerolog.Logger
}

// Run serves until ctx is done, then finishes the requests in progress and returns nil.
func Run(ctx context.Context, cfg Config) error {
	return process.Serve(ctx, process.Options{
		Name: "gateway", Title: "Assay", Version: process.Version(), About: quickstart, Events: event.AsyncAPI(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr, Exposure: cfg.Exposure, Drain: cfg.Drain, Log: cfg.Log,
		Listening: func(at net.Addr) { cfg.Addr = at.String() }, // the port may have been 0
	}, func(_ context.Context, log zerolog.Logger, _ *prometheus.Registry) (*Service, error) {
		return Open(cfg, log)
	})
}

// Open opens a gateway. It makes no connection. The caller closes the Service.
func Open(cfg Config, log zerolog.Logger) (*Service, error) {
	s := &Service{cfg: cfg, behind: map[string]*url.URL{}, operated: map[string]*url.URL{}, transport: newTransport(), log: log}
	for _, is := range []struct {
		at                    map[string]*url.URL
		name, variable, given string
	}{
		{s.behind, ingest.Name, "ASSAY_INGEST_URL", cfg.Ingest}, {s.behind, query.Name, "ASSAY_QUERY_URL", cfg.Query},
		{s.operated, ingest.Name, "ASSAY_INGEST_OPERATOR_URL", cfg.IngestOperator},
		{s.operated, query.Name, "ASSAY_QUERY_OPERATOR_URL", cfg.QueryOperator},
		{s.operated, analyzer.Name, "ASSAY_ANALYZER_OPERATOR_URL", cfg.AnalyzerOperator},
	} {
		at, err := url.Parse(is.given)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
			return nil, config.Unusable(fmt.Errorf("%s is %q: must be a URL such as http://%s:8080", is.variable, is.given, is.name))
		}
		is.at[is.name] = at
	}
	return s, nil
}

// Health adds the readiness checks of both services.
func (s *Service) Health(h *obs.Health) {
	for name, at := range s.behind {
		h.Add(name, func(ctx context.Context) error { return process.Ready(ctx, at.String()) })
	}
}

// Routes registers the calls of both services with their descriptions. Query serves the web app, because its
// content security policy contains the address of the buckets, which the gateway does not know.
func (s *Service) Routes(r *web.Router) {
	for _, page := range ui.Patterns() {
		r.Mux.Handle(page, s.pass(query.Name, s.behind))
	}
	r.Missing(s.pass(query.Name, s.behind))
	s.front(r, []described{{ingest.Describe, s.pass(ingest.Name, s.behind)}, {query.Describe, s.pass(query.Name, s.behind)}})
}

// OperatorRoutes registers the operator pages, and the operator calls of all services with their
// descriptions.
func (s *Service) OperatorRoutes(r *web.Router) {
	ui.OperatorRoutes(r, s.cfg.Addr)
	s.front(r, []described{
		{ingest.DescribeOperator, s.pass(ingest.Name, s.operated)},
		{query.DescribeOperator, s.pass(query.Name, s.operated)},
		{analyzer.DescribeOperator, s.pass(analyzer.Name, s.operated)},
	})
}

// described is the API description of a service and the handler that forwards its calls.
type described struct {
	describe func(*web.Router)
	to       http.Handler
}

// front registers the calls of services. If several services have the same call, it is forwarded to the first one.
func (s *Service) front(r *web.Router, services []described) {
	r.Forwards()
	all, taken := web.NewRouter(web.Options{}), map[string]bool{}
	for _, service := range services {
		service.describe(all)
		for call, op := range web.Operations(all.API.OpenAPI()) {
			if !taken[call] {
				taken[call] = true
				r.Mux.Handle(call, service.to)
				r.Counts(op)
			}
		}
	}
	api := r.API.OpenAPI()
	api.Paths, api.Components = all.API.OpenAPI().Paths, all.API.OpenAPI().Components
}

// Work only waits for ctx: the gateway has no background work.
func (s *Service) Work(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Close closes the connections. No request may be in progress.
func (s *Service) Close() { s.transport.CloseIdleConnections() }
