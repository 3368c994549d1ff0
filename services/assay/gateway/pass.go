package gateway

import (
	"context"
	"errors"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

// newTransport returns net/http's default transport without the environment's proxies, which are for
// external hosts, and with more idle connections. These time out before the services close them,
// because a POST that fails on a closed connection cannot be retried.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.DisableCompression = nil, true
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.IdleConnTimeout = 256, 128, time.Minute
	return t
}

// pass returns a handler that forwards requests to a service, and its responses to the client, without buffering large
// files or live events.
func (s *Service) pass(name string, at map[string]*url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport: s.transport,
		ErrorLog:  log.New(s.log, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at[name])
			r.Out.Host = r.In.Host // the service compares it with the page's origin
			r.SetXForwarded()
			if r.In.Header.Get("X-Forwarded-Proto") == "https" { // from a proxy in front of the gateway
				r.Out.Header.Set("X-Forwarded-Proto", "https")
			}
			trace := obs.TraceFrom(r.In.Context())
			r.Out.Header.Set("X-Request-Id", trace.RequestID)
			r.Out.Header.Set("Traceparent", trace.Parent)
			r.Out.Header.Set("Tracestate", trace.State)
		},
		ModifyResponse: func(answer *http.Response) error {
			// The router has set these headers.
			for _, name := range []string{"X-Request-Id", "Traceparent", "Tracestate"} {
				answer.Header.Del(name)
			}
			if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err == nil && kind == "text/event-stream" {
				answer.Body = endWithServer(answer.Request.Context(), answer.Body)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { web.WriteError(w, r, problem(name, r, err)) },
	}
}

// problem returns the problem for a service that did not respond.
func problem(name string, r *http.Request, err error) error {
	if r.Context().Err() != nil || errors.Is(err, web.ErrBodyStalled) {
		return err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return web.Unavailable("The service "+name+" is unavailable. The request was not processed.", time.Second).Because(err)
	}
	return web.NewProblem(http.StatusBadGateway, "bad-gateway",
		"The service "+name+" closed the connection before it responded. The request may have been processed; retry it with the same Idempotency-Key.").Because(err)
}

// liveEvents is a response body that ends when this server begins to shut down, as if the service
// had shut down: the client reconnects with its last id.
type liveEvents struct {
	io.ReadCloser
	draining <-chan struct{}
	closed   chan struct{}
	once     sync.Once
}

func endWithServer(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	l := &liveEvents{ReadCloser: body, draining: web.Draining(ctx), closed: make(chan struct{})}
	go func() {
		select {
		case <-l.draining:
			_ = body.Close() // unblocks the read
		case <-l.closed:
		}
	}()
	return l
}

// Read returns io.EOF once this server has begun to shut down.
func (l *liveEvents) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err != nil {
		select {
		case <-l.draining:
			err = io.EOF
		default:
		}
	}
	return n, err
}

// Close also stops waiting for the shutdown.
func (l *liveEvents) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.ReadCloser.Close()
}
