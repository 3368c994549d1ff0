package web

import (
	"context"
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

// ServeOptions tune Serve.
type ServeOptions struct {
	Drain  time.Duration // how long requests in hand may take once ctx is done; 0 means 10 seconds
	Log    zerolog.Logger
	Health *obs.Health // told to drain first; may be nil
}

// ErrCut is returned by Serve when requests were still in hand at the end of the drain.
var ErrCut = errors.New("web: requests were cut off at the end of the drain")

// Timeouts of every HTTP server.
const (
	HeaderTimeout = 10 * time.Second // for a request's header to arrive
	IdleTimeout   = 2 * time.Minute  // for the next request on a kept connection
)

const (
	maxHeader = 64 << 10    // bytes
	cutGrace  = time.Second // for handlers to return after they were cut off
)

// Serve answers requests from listener, which it closes, until ctx is done. Then it stops: readiness
// turns false, no connection is accepted, live events end, requests in hand have ServeOptions.Drain to
// end. What is left is cut off: its context is done with the cause ErrDraining, its connection is
// closed, and Serve returns ErrCut. A clean stop returns nil.
//
// Connections are refused with 503 while few file descriptors are free, as by LimitListener.
//
// There is no limit on a whole request or answer, which would cut uploads and live events; a Router
// limits clients that stall.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, o ServeOptions) error {
	if o.Drain == 0 {
		o.Drain = 10 * time.Second
	}
	// Requests outlive ctx, and learn from draining that it is done.
	requests := context.WithValue(context.WithoutCancel(ctx), drainingKey{}, ctx.Done())
	requests, cut := context.WithCancelCause(requests)
	defer cut(nil)

	var inHand sync.RWMutex // read-locked by every running handler: to lock it is to wait for them
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inHand.RLock()
			defer inHand.RUnlock()
			handler.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: HeaderTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          log.New(serverLog{o.Log}, "", 0),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(LimitListener(listener, nil, ClientSpare)) }()
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
		inHand.Lock()
		defer inHand.Unlock()
		close(returned)
	}()
	select {
	case <-returned:
	case <-time.After(cutGrace):
	}
	return errors.Join(ErrCut, err)
}

type drainingKey struct{}

// Draining returns a channel that is closed when the server of a request's context begins to stop.
// What would go on for long must end then. Outside Serve it is nil, which never closes.
func Draining(ctx context.Context) <-chan struct{} {
	draining, _ := ctx.Value(drainingKey{}).(<-chan struct{})
	return draining
}

// serverLog turns the lines of net/http's own log into warnings.
type serverLog struct{ log zerolog.Logger }

func (l serverLog) Write(p []byte) (int, error) {
	l.log.Warn().Msg(strings.TrimSpace(string(p)))
	return len(p), nil
}
