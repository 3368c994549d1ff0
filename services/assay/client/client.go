// Package client is a client of Assay's HTTP API: it uploads texts, reads and lists files, and
// follows live events.
//
// Each operation has one request id for all its attempts. The server logs it and includes it in its
// events. An operation is retried when the server is busy or the connection breaks, if that is
// safe. Error responses are returned as *Problem; if the server cannot be reached, the error is
// *Unreachable.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	// tries is the maximum number of attempts of a request without Config.Patience.
	tries = 6
	// firstPause is the pause before the first retry. It doubles with every attempt, up to
	// longestPause. A Retry-After header takes precedence, up to longestRetryAfter.
	firstPause        = 200 * time.Millisecond
	longestPause      = 5 * time.Second
	longestRetryAfter = 30 * time.Second
)

// Config configures a Client.
type Config struct {
	// Server is the base URL, such as http://127.0.0.1:8080. Required.
	Server string
	// OwnerID is sent as X-Owner-Id. If it is empty, the server generates one for each new file.
	OwnerID string
	// Token is an API key, or a token of the server's identity provider: required by a server with
	// ASSAY_AUTH=token. The token then determines the owner, and OwnerID is ignored.
	Token string
	// HTTP sends the requests. Nil means a client without a timeout, so that only the context limits an upload.
	HTTP *http.Client
	// UserAgent is the User-Agent header. Empty means "assay".
	UserAgent string
	// Patience is how long a request is retried while the server is busy or connections break, such
	// as during a restart. 0 means at most six attempts.
	Patience time.Duration
	// Webhook is the id or the name of a webhook endpoint of the owner. The outcomes of the items that the client
	// creates are delivered to it, whatever events it selects. Optional.
	Webhook string
}

// Client is a client of one server. It is safe for concurrent use. The caller closes it.
type Client struct {
	server    *url.URL
	ownerID   string
	token     string
	userAgent string
	patience  time.Duration
	webhook   string
	http      *http.Client
	// answered is set by the first response. Until then a refused connection means that there is no
	// server, and the request is not retried.
	answered atomic.Bool
	mine     atomic.Pointer[string] // owner of the token; nil until the server has reported it
}

// New returns a client. It sends no request. It returns an error if the server address is not an
// http or https URL.
func New(cfg Config) (*Client, error) {
	server, err := url.Parse(cfg.Server)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return nil, fmt.Errorf("server address %q is not a URL such as http://127.0.0.1:8080", cfg.Server)
	}
	c := &Client{server: server, ownerID: cfg.OwnerID, token: cfg.Token, userAgent: cfg.UserAgent, patience: cfg.Patience, webhook: cfg.Webhook, http: cfg.HTTP}
	if c.userAgent == "" {
		c.userAgent = "assay"
	}
	if c.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		c.http = &http.Client{Transport: transport}
	}
	if c.http.CheckRedirect == nil {
		own := *c.http
		own.CheckRedirect = dropCredentials
		c.http = &own
	}
	if c.token != "" {
		c.ownerID = ""
	}
	return c, nil
}

// dropCredentials follows a redirect without the caller's credentials: the API redirects to presigned
// requests of S3, which rejects further credentials.
func dropCredentials(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	req.Header.Del("Authorization")
	req.Header.Del("X-Owner-Id")
	return nil
}

// OwnerID returns the owner of the client's requests; it may be empty.
func (c *Client) OwnerID() string { return c.ownerID }

// Server returns the base URL of the server.
func (c *Client) Server() string { return c.server.String() }

// owner returns the given owner, or by default the owner of the client's requests. Only the server knows
// the owner of a token.
func (c *Client) owner(ctx context.Context, named string) (string, error) {
	if named != "" || c.token == "" {
		return cmp.Or(named, c.ownerID), nil
	}
	if known := c.mine.Load(); known != nil {
		return *known, nil
	}
	me, err := c.Me(ctx)
	if err == nil {
		c.mine.Store(&me.Owner)
	}
	return me.Owner, err
}

// Close closes idle connections. Without it, a server that shuts down waits for connections that
// never carried a request.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Unreachable means that a request got no response.
type Unreachable struct {
	Server string
	Err    error
}

func (u *Unreachable) Error() string {
	if u.NoServer() {
		return fmt.Sprintf("no Assay server responds at %s: %v", u.Server, u.Err)
	}
	return fmt.Sprintf("lost the connection to %s: %v", u.Server, u.Err)
}

// NoServer reports whether no connection was established, so that the request had no effect.
func (u *Unreachable) NoServer() bool {
	op, ok := errors.AsType[*net.OpError](u.Err)
	return ok && op.Op == "dial"
}

func (u *Unreachable) Unwrap() error { return u.Err }

// call is one API operation.
type call struct {
	method string
	path   string // escaped
	query  url.Values
	header http.Header
	body   any    // sent as JSON unless nil
	raw    []byte // sent as it is unless nil, with the Content-Type in header
	id     string // request id; empty generates one
	once   bool   // retrying after a broken connection is not safe
}

// do sends the call, decodes a JSON response into answer unless answer is nil, and retries if possible.
func (c *Client) do(ctx context.Context, op call, answer any) error {
	resp, err := c.open(ctx, op)
	if err != nil {
		return err
	}
	return decode(resp, answer)
}

// decode decodes a JSON response into answer, unless answer is nil or there is no content, and
// closes the body.
func decode(resp *http.Response, answer any) error {
	content, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if answer == nil || len(content) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber() // metadata may have numbers that a float64 rounds
	if err := decoder.Decode(answer); err != nil {
		return fmt.Errorf("the server at %s is not an Assay server: %w", resp.Request.URL.Host, err)
	}
	return nil
}

// open sends the call and returns its successful response. The caller closes the body.
func (c *Client) open(ctx context.Context, op call) (*http.Response, error) {
	body := op.raw
	if op.body != nil {
		var err error
		if body, err = json.Marshal(op.body); err != nil {
			return nil, fmt.Errorf("%s %s: %w", op.method, op.path, err)
		}
	}
	if op.id == "" {
		op.id = newKey()
	}
	var resp *http.Response
	err := c.repeat(ctx, op.once, func() error {
		req, err := c.request(ctx, op)
		if err != nil {
			return err
		}
		if body != nil {
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		if op.body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err = c.send(req)
		return err
	})
	return resp, err
}

// repeat makes attempts until one succeeds or another is not safe, not useful or not allowed. once means that a request
// whose response was lost is not sent again.
func (c *Client) repeat(ctx context.Context, once bool, attempt func() error) error {
	var last error
	began := time.Now()
	for try := 0; c.mayTry(try, began); try++ {
		if err := pause(ctx, try, last); err != nil {
			return err
		}
		if last = attempt(); last == nil || !c.again(last, once) {
			break
		}
	}
	return last
}

// request builds the request of a call, without its body.
func (c *Client) request(ctx context.Context, op call) (*http.Request, error) {
	target := c.server.JoinPath(op.path)
	target.RawQuery = op.query.Encode()
	req, err := http.NewRequestWithContext(ctx, op.method, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", op.method, op.path, err)
	}
	if op.header != nil {
		req.Header = op.header.Clone()
	}
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("X-Request-Id", op.id)
	switch {
	case c.token != "":
		req.Header.Set("Authorization", "Bearer "+c.token)
		req.Header.Del("X-Owner-Id")
	case c.ownerID != "":
		req.Header.Set("X-Owner-Id", c.ownerID)
	}
	if c.webhook != "" && op.method == http.MethodPost {
		req.Header.Set("X-Webhook", c.webhook)
	}
	return req, nil
}

// send makes one attempt. For a response with status 400 or above it returns a *Problem. If there is
// no response, it returns *Unreachable, unless the context is done.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // its text would repeat the URL
		}
		return nil, &Unreachable{Server: c.server.String(), Err: err}
	}
	c.answered.Store(true)
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	return nil, readProblem(resp)
}

// mayTry reports whether another attempt of a request that began at the given time is allowed. try counts from 0.
func (c *Client) mayTry(try int, began time.Time) bool {
	if c.patience > 0 {
		return try == 0 || time.Since(began) < c.patience
	}
	return try < tries
}

// again reports whether a retry is safe and may succeed.
func (c *Client) again(err error, once bool) bool {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return problem.busy()
	}
	lost, ok := errors.AsType[*Unreachable](err)
	if !ok {
		return false
	}
	if lost.NoServer() {
		return c.answered.Load()
	}
	return !once
}

// pause waits before a retry, for as long as the previous failure requires.
func pause(ctx context.Context, try int, last error) error {
	if try == 0 {
		return ctx.Err()
	}
	wait := min(firstPause<<min(try-1, 10), longestPause) // the shift does not overflow
	wait = wait/2 + rand.N(wait/2+1)
	if problem, ok := errors.AsType[*Problem](last); ok && problem.RetryAfter > 0 {
		wait = min(problem.RetryAfter, longestRetryAfter)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newKey returns a new request id or idempotency key.
func newKey() string {
	id, err := uuid.NewV7()
	if err != nil {
		// Fails only if the system provides no randomness.
		panic("client: " + err.Error())
	}
	return id.String()
}

// join builds an escaped path of segments under /v1.
func join(segments ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, s := range segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	return b.String()
}
