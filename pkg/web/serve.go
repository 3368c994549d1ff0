package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
)

// ServeOptions configures Serve.
type ServeOptions struct {
	Drain  time.Duration // time for requests in progress once ctx is done; 0 means 10 seconds
	Log    zerolog.Logger
	Health *obs.Health // set to draining first; may be nil
	TLS    *tls.Config // for HTTPS, with HTTP/2; nil for plain HTTP
}

// ErrCut is returned by Serve when requests were still in progress at the end of the drain.
var ErrCut = errors.New("web: requests were aborted at the end of the drain")

// Timeouts of every HTTP server.
const (
	HeaderTimeout = 10 * time.Second // limit for a request's header to arrive
	IdleTimeout   = 2 * time.Minute  // limit for the next request on an idle connection
)

const (
	maxHeader = 64 << 10    // maximum bytes of a request header
	cutGrace  = time.Second // time for handlers to return after their requests are aborted
)

// Serve handles requests from listener, which it closes, until ctx is done. Then it shuts down:
// readiness checks fail, no connection is accepted, live events end, and requests in progress have
// ServeOptions.Drain to finish. After that their contexts are canceled with the cause ErrDraining,
// their connections are closed, and Serve returns ErrCut. A clean shutdown returns nil.
//
// While few file descriptors are free, a new connection replaces one that is idle, or is rejected with 503; see
// LimitListener.
//
// There is no time limit on an entire request or response, which would end uploads and live events. A
// Router limits clients that stall.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, o ServeOptions) error {
	if o.Drain == 0 {
		o.Drain = 10 * time.Second
	}
	// Requests outlive ctx. Draining notifies them when it is done.
	requests := context.WithValue(context.WithoutCancel(ctx), drainingKey{}, ctx.Done())
	requests, cut := context.WithCancelCause(requests)
	defer cut(nil)

	var running sync.RWMutex // read-locked by every running handler; locking it waits for all of them
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			running.RLock()
			defer running.RUnlock()
			handler.ServeHTTP(w, r)
			if errors.Is(context.Cause(requests), ErrDraining) {
				panic(http.ErrAbortHandler) // otherwise net/http would respond with 200 before Close
			}
		}),
		ReadHeaderTimeout: HeaderTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		TLSConfig:         o.TLS.Clone(),
		ConnState:         func(conn net.Conn, state http.ConnState) { TrackIdle(conn, state == http.StateIdle) },
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          log.New(serverLog{o.Log}, "", 0),
	}
	stopped := make(chan error, 1)
	limited := LimitListener(listener, nil, ClientSpare)
	go func() {
		if o.TLS == nil {
			stopped <- server.Serve(limited)
		} else {
			stopped <- server.ServeTLS(limited, "", "")
		}
	}()
	select {
	case err := <-stopped:
		return fmt.Errorf("web: serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}

	if o.Health != nil {
		o.Health.Drain()
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Drain)
	defer cancel()
	err := server.Shutdown(drain)
	if served := <-stopped; !errors.Is(served, http.ErrServerClosed) {
		return fmt.Errorf("web: serve %s: %w", listener.Addr(), served)
	}
	if err == nil {
		return nil
	}
	cut(ErrDraining)
	err = server.Close()
	returned := make(chan struct{})
	go func() {
		running.Lock()
		defer running.Unlock()
		close(returned)
	}()
	select {
	case <-returned:
	case <-time.After(cutGrace):
	}
	return errors.Join(ErrCut, err)
}

type drainingKey struct{}

// Draining returns a channel that is closed when the server of a request's context begins to shut
// down. Long-running handlers must return then. Outside of Serve the channel is nil, so it is never
// closed.
func Draining(ctx context.Context) <-chan struct{} {
	draining, _ := ctx.Value(drainingKey{}).(<-chan struct{})
	return draining
}

// serverLog logs the lines of net/http's own log as warnings.
type serverLog struct{ log zerolog.Logger }

func (l serverLog) Write(p []byte) (int, error) {
	l.log.Warn().Msg(strings.TrimSpace(string(p)))
	return len(p), nil
}
