package process

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

// Service is a service that Serve runs.
type Service interface {
	// Health adds the checks of the service's dependencies.
	Health(*obs.Health)
	// Routes registers the service's HTTP calls.
	Routes(*web.Router)
	// Work runs the background work of the service. When ctx is done, it finishes or returns the
	// work in progress and returns nil.
	Work(context.Context) error
	// Close closes the service's connections. It is called after Work has returned.
	Close()
}

// Operated is a service with operator calls, which are served at a separate address.
type Operated interface {
	// OperatorRoutes registers the operator calls.
	OperatorRoutes(*web.Router)
}

// Authenticating is a service that resolves its callers if the process requires credentials.
type Authenticating interface {
	// Authenticate returns the caller of a request; see web.Authenticate.
	Authenticate(http.ResponseWriter, *http.Request) (web.Caller, error)
}

// Storing is a service that may be unable to store what clients send.
type Storing interface {
	// Writable returns an error while the disk is full.
	Writable() error
}

// Limited is a service with quotas for requests and streams.
type Limited interface {
	// Rates returns the request limits of an owner per process; owner is empty for a caller without one.
	Rates(owner string) web.Rates
}

// Audited is a service that records write operations of operators.
type Audited interface {
	// Audit returns the recorder; nil records nothing.
	Audit() web.Audit
}

// Options describe a service that Serve runs.
type Options struct {
	Name    string // name in logs and metrics
	Title   string // title of the API description
	Version string // version of the API description
	About   string // introduction of the API description for clients, in Markdown; may be empty
	Events  []byte // AsyncAPI description; empty for none
	Addr    string // host:port of the HTTP API; port 0 selects a free port
	// OperatorAddr is host:port of the operator calls; empty for none. Anyone who can connect to it can
	// use all operator calls, unless Exposure requires credentials; then the operator role is required.
	OperatorAddr string
	// Exposure specifies who can reach these addresses, and under which host names.
	Exposure Exposure
	// Listening is called with the address of the HTTP API before the service is opened. Optional.
	Listening func(http net.Addr)
	Drain     time.Duration
	Runtime   Runtime
	Log       obs.Config
	// LocalOwner is the owner that browsers on this machine use by default, on a server without sign-in. Optional.
	LocalOwner string
	// LogTo receives the log. Standard error by default.
	LogTo io.Writer
	// Ready is called with the addresses once calls are accepted; operator is nil if there are no
	// operator calls. Optional.
	Ready func(http, operator net.Addr) error
}

// Open opens a service with the logger and registry of its process.
type Open[S Service] func(context.Context, zerolog.Logger, *prometheus.Registry) (S, error)

// Serve opens a service and runs it behind an HTTP address with health and
// metrics until ctx is done. Then it drains, closes the service and returns nil.
func Serve[S Service](ctx context.Context, o Options, open Open[S]) error {
	if o.LogTo == nil {
		o.LogTo = os.Stderr
	}
	log, err := obs.NewLogger(o.Log, o.LogTo, o.Name)
	if err != nil {
		return config.Unusable(err)
	}
	hosts, err := o.hosts()
	if err != nil {
		return config.Unusable(err)
	}
	registry := obs.NewRegistry()
	registerBuild(registry)
	secure, err := o.Exposure.TLS.config(log, registry)
	if err != nil {
		return config.Unusable(err)
	}
	defer o.Runtime.Apply(log)()
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("ASSAY_ADDR: %w", err)
	}
	defer listener.Close()
	if o.Listening != nil {
		o.Listening(listener.Addr())
	}
	ctx, flush, err := obs.OpenTracing(ctx, o.Name, o.Version, log, registry)
	if err != nil {
		return config.Unusable(err)
	}
	defer flush()
	service, err := open(ctx, log, registry)
	if err != nil {
		return err
	}
	defer service.Close()

	bodies := web.NewBodies(web.DefaultBodies)
	health := &obs.Health{}
	service.Health(health)
	registry.MustRegister(health.Collector())
	options := web.Options{
		Metrics: o.Exposure.PublicMetrics, Title: o.Title, Version: o.Version, Description: o.About, Events: o.Events, Log: log, Registry: registry, Health: health, Bodies: bodies, Hosts: hosts,
		LocalOwner: o.LocalOwner,
	}
	if storing, ok := any(service).(Storing); ok {
		options.Writable = storing.Writable
	}
	if authenticating, ok := any(service).(Authenticating); ok && o.Exposure.Tokens() {
		options.Authenticate = authenticating.Authenticate
	}
	if limited, ok := any(service).(Limited); ok {
		options.Throttle = web.NewThrottle(limited.Rates)
	}
	router := web.NewRouter(options)
	service.Routes(router)
	var operator net.Listener
	var operations *web.Router
	if operated, ok := any(service).(Operated); ok && o.OperatorAddr != "" {
		if operator, err = net.Listen("tcp", o.OperatorAddr); err != nil {
			return fmt.Errorf("ASSAY_OPERATOR_ADDR: %w", err)
		}
		defer operator.Close()
		forOperators := web.Options{
			Metrics: true, Title: o.Title + " for operators", Version: o.Version, Log: log, Registry: registry, Health: health, Bodies: bodies,
			Hosts: hosts, Roles: []web.Role{web.Operator}, Authenticate: options.Authenticate,
		}
		if audited, ok := any(service).(Audited); ok {
			forOperators.Audit = audited.Audit()
		}
		operations = web.NewRouter(forOperators)
		operated.OperatorRoutes(operations)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return web.Serve(ctx, listener, router, web.ServeOptions{Drain: o.Drain, Log: log, Health: health, TLS: secure})
	})
	group.Go(func() error { return service.Work(ctx) })
	var operatorAddr net.Addr
	if operator != nil {
		operatorAddr = operator.Addr()
		group.Go(func() error {
			return web.Serve(ctx, operator, operations, web.ServeOptions{Drain: o.Drain, Log: log, TLS: secure})
		})
		log.Info().Stringer("operator_addr", operatorAddr).Msg("ready for operators")
	}
	if o.Ready != nil {
		group.Go(func() error { return o.Ready(listener.Addr(), operatorAddr) })
	}
	log.Info().Stringer("addr", listener.Addr()).Msg("ready")
	return group.Wait()
}
