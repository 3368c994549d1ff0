// Package remote contains what the adapters of paid services have in common: one HTTP request for
// each call, the classification of HTTP errors, and the conversion of pictures in requests and
// responses. Responses are untrusted input.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

const (
	// MaxAnswer is the maximum size of a response, in bytes.
	MaxAnswer = 40 << 20
	// maxError is the maximum number of bytes that are read from an error response.
	maxError = 64 << 10
)

// Request is the HTTP request of a call.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // JSON; nil for no body
	// Keep stores the body of a response with status 200, as in provider.Call.
	Keep func(context.Context, io.Reader) ([]byte, error)
}

// Response is the response of a service.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send makes one HTTP request. It never retries the request and follows no redirects. It returns a
// *provider.Error that states whether the request may have been billed, the cause of ctx, or the
// error of Keep. A status other than 200 is not an error.
func Send(ctx context.Context, client *http.Client, r Request) (Response, error) {
	var sent atomic.Bool // the service may have received the request
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, &provider.Error{Class: provider.Internal, Code: provider.InternalError, Billed: provider.NotBilled, Err: err}
	}
	request.GetBody = nil // prevents transports from retrying the request
	request.Header = r.Header.Clone()
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	once := *client
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := once.Do(request)
	if err != nil {
		return Response{}, lost(ctx, err, sent.Load())
	}
	defer resp.Body.Close()
	answer := Response{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		answer.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxError))
		if err != nil {
			answer.Body = nil // an unreadable body is ignored: the status is sufficient
		}
		return answer, nil
	}
	body := &capped{from: resp.Body, left: MaxAnswer}
	keep := r.Keep
	if keep == nil {
		keep = func(_ context.Context, from io.Reader) ([]byte, error) { return io.ReadAll(from) }
	}
	answer.Body, err = keep(ctx, body)
	switch {
	case errors.Is(body.err, errLong):
		return answer, Bad(answer, "it is larger than %d bytes", MaxAnswer)
	case body.err != nil:
		return answer, lost(ctx, body.err, true)
	}
	return answer, err
}

var errLong = errors.New("too long")

// capped reads at most left bytes, and records the error at which it stopped.
type capped struct {
	from io.Reader
	left int64
	err  error // except io.EOF
}

func (c *capped) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.from.Read(p[:min(int64(len(p)), c.left+1)])
	if c.left -= int64(n); c.left < 0 {
		c.err = errLong
		return 0, c.err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// lost returns the error for a request without a response.
func lost(ctx context.Context, err error, sent bool) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	failed := &provider.Error{Class: provider.Unknown, Code: provider.Unavailable, Billed: provider.MaybeBilled, Err: fmt.Errorf("%w: %w", reason.ProviderLost, err)}
	if ctx.Err() != nil {
		failed.Code, failed.Err = provider.Timeout, reason.ProviderSlow
	}
	if !sent {
		failed.Class, failed.Billed = provider.Retry, provider.NotBilled
		if ctx.Err() == nil {
			failed.Err = fmt.Errorf("%w: %w", reason.ProviderUnreachable, err)
		}
	}
	return failed
}
