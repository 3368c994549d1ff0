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

// incarnation is one life of one service's process, or of a sweep.
type incarnation struct {
	role string
	wire *wire.Wire
	url  string // of its HTTP calls
	stop context.CancelFunc
	done chan struct{} // closed once nothing of it runs any more
	err  error         // why it ended; read only after done is closed
	log  *logged
}

// begin starts the process of a role behind a wire of its own, and returns once it
// is ready, or ended.
func (h *house) begin(role string) (*incarnation, error) {
	ctx, stop := context.WithCancel(context.Background())
	in := &incarnation{role: role, stop: stop, done: make(chan struct{}), log: &logged{}}
	var err error
	if in.wire, err = wire.New(h.engines(), h.script.hook(role)); err != nil {
		stop()
		return nil, err
	}
	ready := make(chan net.Addr, 1)
	environ := h.environ(role, in.wire.Engines())
	go func() {
		defer close(in.done)
		in.err = run(ctx, role, environ, in.log, ready)
	}()
	select {
	case addr := <-ready:
		front, err := in.wire.Front(addr.String())
		in.url = "http://" + front
		if err != nil {
			in.url = "" // it died already
		}
	case <-in.done:
	case <-in.wire.Done():
	}
	return in, nil
}

// died says whether the process was cut off.
func (in *incarnation) died() bool { return in.wire.IsCut() }

// kill ends the process without any further effect. What still runs of it is in
// vain, and is waited for at the end of the test.
func (in *incarnation) kill() {
	in.wire.Cut()
	in.stop()
}

// run is the main function of a role.
func run(ctx context.Context, role string, environ []string, log *logged, ready chan<- net.Addr) error {
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
		report, err := analyzer.Sweep(ctx, cfg, sweeper.Options{}, zerolog.New(log).With().Str("service", sweep).Logger())
		if err == nil && report.Failed > 0 {
			err = fmt.Errorf("%d of what a sweep found could not be repaired", report.Failed)
		}
		return err
	}
	return fmt.Errorf("there is no role %s", role)
}

// sweep is the role of `assay sweep`.
const sweep = "sweep"

func serve[C, E any, S process.Service](ctx context.Context, role string, environ []string, log *logged, ready chan<- net.Addr,
	open func(context.Context, C, zerolog.Logger, prometheus.Registerer, ...E) (S, error),
) error {
	cfg, err := config.Load[C](environ)
	if err != nil {
		return err
	}
	return process.Serve(ctx, process.Options{
		Name: role, Title: role, Version: "crash", Addr: "127.0.0.1:0", Drain: drain, Log: obs.Config{LogFormat: "json"}, LogTo: log,
		Ready: func(http, _ net.Addr) error { ready <- http; return nil },
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (S, error) {
		return open(ctx, cfg, log, reg)
	})
}

// drain is how long what is killed goes on in vain.
const drain = time.Second

// logged keeps what a process says.
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
