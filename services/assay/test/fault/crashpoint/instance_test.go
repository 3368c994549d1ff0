package crashpoint

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// instance is one process of a service, or of a sweep.
type instance struct {
	role     string
	wire     *wire.Wire
	url      string // of the public address
	operator string // of the operator address
	stop     context.CancelFunc
	done     chan struct{} // closed once it has ended
	err      error         // the error that it ended with; read only after done is closed
	log      *logged
}

// begin starts the process of a role behind its own wire, and returns once it is
// ready, has ended or has crashed.
func (s *system) begin(role string) (*instance, error) {
	ctx, stop := context.WithCancel(context.Background())
	in := &instance{role: role, stop: stop, done: make(chan struct{}), log: &logged{}}
	var err error
	if in.wire, err = wire.New(s.engines(), s.script.hook(role)); err != nil {
		stop()
		return nil, err
	}
	ready := make(chan [2]net.Addr, 1)
	environ := s.environ(role, in.wire.Engines())
	go func() {
		defer close(in.done)
		in.err = runRole(ctx, role, environ, in.log, ready)
	}()
	select {
	case addresses := <-ready:
		front, err := in.wire.Front(addresses[0].String())
		operator, other := in.wire.Front(addresses[1].String())
		in.url, in.operator = "http://"+front, "http://"+operator
		if err != nil || other != nil {
			in.url = "" // it has already crashed
		}
	case <-in.done:
	case <-in.wire.Done():
	}
	return in, nil
}

// died reports whether the process is disconnected from the engines.
func (in *instance) died() bool { return in.wire.IsCut() }

// kill disconnects the process from the engines, so that it has no further
// effect. It does not wait for its code to end; system.close does.
func (in *instance) kill() {
	in.wire.Cut()
	in.stop()
}

// runRole runs a service until ctx is done, or a sweep once.
func runRole(ctx context.Context, role string, environ []string, log *logged, ready chan<- [2]net.Addr) error {
	switch role {
	case ingest.Name:
		return serve(ctx, role, environ, log, ready, ingest.Open)
	case analyzer.Name:
		return serve(ctx, role, environ, log, ready, analyzer.Open)
	case query.Name:
		return serve(ctx, role, environ, log, ready, query.Open)
	case sweep:
		cfg, err := config.Load[analyzer.Config](environ)
		if err != nil {
			return err
		}
		// After thousands of crashes, most objects of an area can be orphans.
		report, err := analyzer.Sweep(ctx, cfg, sweeper.Options{AllowOrphans: true}, zerolog.New(log).With().Str("service", sweep).Logger())
		if err == nil && report.Failed > 0 {
			err = fmt.Errorf("%d findings of a sweep could not be repaired", report.Failed)
		}
		return err
	}
	return fmt.Errorf("unknown role %s", role)
}

// sweep is the role of `assay sweep`.
const sweep = "sweep"

func serve[C any, S process.Service](ctx context.Context, role string, environ []string, log *logged, ready chan<- [2]net.Addr,
	open func(context.Context, C, zerolog.Logger, prometheus.Registerer) (S, error),
) error {
	cfg, err := config.Load[C](environ)
	if err != nil {
		return err
	}
	return process.Serve(ctx, process.Options{
		Name: role, Title: role, Version: "crash", Addr: "127.0.0.1:0", OperatorAddr: "127.0.0.1:0", Drain: drain, Log: obs.Config{LogFormat: "json"}, LogTo: log,
		Ready: func(http, operator net.Addr) error { ready <- [2]net.Addr{http, operator}; return nil },
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (S, error) {
		return open(ctx, cfg, log, reg)
	})
}

// drain limits how long the code of a killed process continues to run.
const drain = time.Second

// logged records the log of a process.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
