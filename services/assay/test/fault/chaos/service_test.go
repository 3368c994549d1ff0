package chaos

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// lease is the lease duration of all workers.
const lease = 2 * time.Second

// service is a running ingest, analyzer or query with its own gates.
type service struct {
	role  string
	url   string
	gates []*gate
	stop  context.CancelFunc
	done  chan struct{}
	err   error // the error it exited with; read only after done is closed

	killed atomic.Bool
}

// environ returns the environment of a service that uses the given addresses of the engines.
func environ(nats []string, dynamo, s3 string) []string {
	return []string{
		"ASSAY_NATS_URL=" + strings.Join(nats, ","), "ASSAY_NATS_REPLICAS=3", "ASSAY_DYNAMODB_ENDPOINT=" + dynamo, "ASSAY_S3_ENDPOINT=" + s3,
		"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_REGION=" + region,
		"ASSAY_LEASE=" + lease.String(), "ASSAY_PROJECTOR_LEASE=" + lease.String(), "ASSAY_DRAIN=1s",
		"ASSAY_SWEEP_EVERY=5s", "ASSAY_SWEEP_RATE=100000", "ASSAY_ATTEMPTS=1000",
	}
}

// begin starts a service and returns it once it is ready. The service then runs until it
// is stopped, even if ctx is done earlier. begin returns nil if the service does not
// start, for example during a fault.
func (e *engines) begin(ctx context.Context, role string) *service {
	s := &service{role: role, done: make(chan struct{})}
	through := func(engine string) string {
		g, err := newGate(engine)
		if err != nil {
			e.t.Error(err)
			return engine
		}
		s.gates = append(s.gates, g)
		return g.url
	}
	var nats []string
	for _, url := range e.natsURLs() {
		nats = append(nats, through(url))
	}
	settings := environ(nats, through(e.dynamoDB), through(e.s3.url))
	if role == ingest.Name { // clients reach the bucket directly
		settings = append(settings, "ASSAY_S3_PUBLIC_ENDPOINT="+e.s3.url)
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	at := make(chan net.Addr, 1)
	go func() {
		defer close(s.done)
		switch role {
		case ingest.Name:
			s.err = serve(life, role, settings, at, ingest.Open)
		case analyzer.Name:
			s.err = serve(life, role, settings, at, analyzer.Open)
		case query.Name:
			s.err = serve(life, role, settings, at, query.Open)
		}
	}()
	select {
	case addr := <-at:
		s.url = "http://" + addr.String()
		return s
	case <-s.done:
	case <-ctx.Done():
	}
	s.kill()
	return nil
}

func serve[C any, S process.Service](ctx context.Context, role string, environ []string, at chan<- net.Addr,
	open func(context.Context, C, zerolog.Logger, prometheus.Registerer) (S, error),
) error {
	cfg, err := config.Load[C](environ)
	if err != nil {
		return err
	}
	return process.Serve(ctx, process.Options{
		Name: role, Title: role, Version: "chaos", Addr: "127.0.0.1:0", Drain: time.Second, Log: obs.Config{LogFormat: "json"}, LogTo: io.Discard,
		Ready: func(http, _ net.Addr) error { at <- http; return nil },
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (S, error) {
		return open(ctx, cfg, log, reg)
	})
}

// kill disconnects the service from the engines, so that it has no further effect, and
// stops it.
func (s *service) kill() {
	s.killed.Store(true)
	for _, g := range s.gates {
		g.kill()
	}
	s.stop()
}

func (s *service) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// pause delays all traffic of the service until resume is called.
func (s *service) pause() {
	for _, g := range s.gates {
		g.pause()
	}
}

func (s *service) resume() {
	for _, g := range s.gates {
		g.resume()
	}
}
