package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
	"github.com/versity/versitygw/s3api/utils"

	"github.com/assay-project/assay/pkg/web"
)

// clientConnections limits the connections that the port of an embedded server accepts, and
// connectionsPerClient those of one client address. The listeners for the services have no such
// limits.
const clientConnections, connectionsPerClient = 1024, 512

// s3Limits limits the resources of clients of the S3 server.
type s3Limits struct {
	clients   int           // connections of all clients; below s3MaxRequests
	perClient int           // connections of one client address
	header    time.Duration // timeout for the header
	body      time.Duration // timeout for the first bytes of a body
	pause     time.Duration // timeout for further bytes of a body
}

// s3Drain limits how long Close waits for requests of clients.
const s3Drain = 10 * time.Second

// publicS3 serves clients with the gateway's handler, with timeouts and connection limits, which
// the gateway's own listener does not support.
type publicS3 struct {
	listener net.Listener
	limits   s3Limits
	gateway  chan *fasthttp.Server // the gateway's server; sent once
	once     sync.Once
	server   *fasthttp.Server
	stopped  chan error
}

func listenS3(host string, port int, limits s3Limits) (*publicS3, error) {
	if limits == (s3Limits{}) {
		limits = s3Limits{
			clients: clientConnections, perClient: connectionsPerClient,
			header: web.HeaderTimeout, body: web.HeaderTimeout, pause: web.BodyPause,
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &publicS3{listener: listener, limits: limits, gateway: make(chan *fasthttp.Server, 1), stopped: make(chan error, 1)}, nil
}

// middleware applies the timeouts to the body of a request. It also captures the gateway's server,
// which the gateway exposes to requests only.
func (p *publicS3) middleware(ctx fiber.Ctx) error {
	p.once.Do(func() { p.gateway <- ctx.App().Server() })
	if body := ctx.Request().BodyStream(); body != nil {
		utils.ContextKeyBodyReader.Set(ctx, web.PaceBody(body, p.limits.pause, ctx.RequestCtx().Conn().SetReadDeadline))
	}
	return ctx.Next()
}

// serve starts serving clients once the gateway listens on url.
func (p *publicS3) serve(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the gateway does not respond: %w", err)
	}
	defer answer.Body.Close()
	var gateway *fasthttp.Server
	select {
	case gateway = <-p.gateway:
	default:
		return fmt.Errorf("the gateway responded with %s without its middleware", answer.Status)
	}
	p.server = &fasthttp.Server{
		Handler:                      gateway.Handler,
		ErrorHandler:                 timedOut(gateway.ErrorHandler),
		Logger:                       gateway.Logger,
		Name:                         gateway.Name,
		MaxRequestBodySize:           gateway.MaxRequestBodySize,
		ReadBufferSize:               gateway.ReadBufferSize,
		StreamRequestBody:            gateway.StreamRequestBody,
		DisablePreParseMultipartForm: gateway.DisablePreParseMultipartForm,
		Concurrency:                  2 * p.limits.clients, // connections that the listener has closed may still end
		ConnState:                    func(conn net.Conn, state fasthttp.ConnState) { web.TrackIdle(conn, state == fasthttp.StateIdle) },
		ReadTimeout:                  p.limits.header,
		IdleTimeout:                  web.IdleTimeout,
		HeaderReceived: func(*fasthttp.RequestHeader) fasthttp.RequestConfig {
			return fasthttp.RequestConfig{ReadTimeout: p.limits.body}
		},
	}
	limited := web.LimitListener(p.listener, web.NewLimiter(p.limits.clients, p.limits.perClient), web.ClientSpare)
	go func() { p.stopped <- p.server.Serve(limited) }()
	return nil
}

func (p *publicS3) url() string { return "http://" + web.Reachable(p.listener.Addr().String()) }

// check connects like a new client. It also succeeds if the server responds that this address has
// too many connections.
func (p *publicS3) check(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url(), nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the S3 port does not respond: %w", err)
	}
	answer.Body.Close()
	if answer.StatusCode == http.StatusServiceUnavailable {
		return errors.New("the S3 port rejects connections: too many clients are connected")
	}
	return nil
}

// timedOut responds with 408, after which clients retry, to a request that did not arrive in time.
// The gateway would log the timeout and respond with 500.
func timedOut(others func(*fasthttp.RequestCtx, error)) func(*fasthttp.RequestCtx, error) {
	return func(ctx *fasthttp.RequestCtx, err error) {
		if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
			ctx.Error("", http.StatusRequestTimeout)
			return
		}
		others(ctx, err)
	}
}

// close stops serving clients. Requests in progress may finish within s3Drain.
func (p *publicS3) close() error {
	if p.server == nil {
		return p.listener.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s3Drain)
	defer cancel()
	err := p.server.ShutdownWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // the gateway's shutdown aborts the remaining requests
	}
	// Serve may not have started; then Shutdown does not know the listener.
	if closed := p.listener.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return errors.Join(err, <-p.stopped)
}
