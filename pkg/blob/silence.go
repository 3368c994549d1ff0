package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/assay-project/assay/pkg/outage"
)

// SilenceError is the error of a request to S3 that made no progress within the timeout.
type SilenceError struct {
	Limit   time.Duration
	Setting string // name of the setting with the limit
}

func (e *SilenceError) Error() string {
	return fmt.Sprintf("no bytes were transferred to or from S3 within %s (%s)", e.Limit, e.Setting)
}

// Timeout reports true, so that the SDK's retryer and other callers treat the error as a timeout.
func (e *SilenceError) Timeout() bool { return true }

// joinFactor multiplies Config.Timeout while S3 joins the parts of an upload or copies an object: a
// server may send nothing until it has finished.
const joinFactor = 20

// idleTimeoutClient is an HTTP client whose requests end with a SilenceError after a time without
// progress: no byte of the request is sent, no response begins, or no byte of its body arrives while
// the caller reads. The total time is not limited. In a bounded context, the time is that of package
// outage.
type idleTimeoutClient struct {
	aws.HTTPClient
	cfg Config
}

func (c idleTimeoutClient) Do(r *http.Request) (*http.Response, error) {
	began := time.Now()
	silence := &SilenceError{c.cfg.Timeout, "ASSAY_S3_TIMEOUT"}
	left, bounded := outage.Left(r.Context(), outage.S3)
	joins := r.Method == http.MethodPost && r.URL.Query().Has("uploadId") || r.Header.Get("X-Amz-Copy-Source") != ""
	switch {
	case joins:
		silence = &SilenceError{joinFactor * c.cfg.Timeout, fmt.Sprintf("%d times ASSAY_S3_TIMEOUT", joinFactor)}
	case bounded:
		silence.Setting += fmt.Sprintf(", at most %s in a request", outage.Limit)
		if silence.Limit == 0 || silence.Limit > left {
			silence.Limit = left
		}
	}
	if silence.Limit == 0 {
		silence.Limit = unlimited
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	t := &idleTimer{caller: r.Context(), ctx: ctx, cancel: cancel, limit: silence.Limit}
	t.timer = time.AfterFunc(silence.Limit, func() { cancel(silence) })
	if joins && bounded {
		defer c.probe(ctx, r.URL, cancel)()
	}
	sent := r.WithContext(ctx) // a copy that shares the headers, which are not modified
	if r.Body != nil && r.Body != http.NoBody {
		sent.Body, sent.GetBody = &requestBody{r.Body, t}, nil
	}
	resp, err := c.HTTPClient.Do(sent)
	t.answered(c.cfg.Timeout, bounded)
	outage.Ended(r.Context(), outage.S3, began, err == nil && resp.StatusCode < http.StatusInternalServerError)
	if err != nil {
		err = t.reason(err)
		cancel(nil)
		if left, bounded := outage.Left(r.Context(), outage.S3); bounded && left < retryPause {
			err = &finalError{err}
		}
		return resp, err
	}
	resp.Body = &responseBody{resp.Body, t}
	return resp, nil
}

// unlimited is a limit that is never reached.
const unlimited = time.Duration(math.MaxInt64)

const (
	// probeAfter is the time for which S3 may send nothing while it joins parts or copies an object before a bounded
	// context asks whether it responds at all, and the interval between such probes.
	probeAfter = time.Second
	probeLimit = outage.Limit - probeAfter - 500*time.Millisecond
)

// probe aborts a request whose server may be silent for long when the server does not respond to another request
// either. Any response proves that it is available, so the probe is not signed. The caller calls stop.
func (c idleTimeoutClient) probe(ctx context.Context, to *url.URL, abort context.CancelCauseFunc) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	root := (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/"}).String()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(probeAfter):
			}
			if !c.responds(ctx, root) && ctx.Err() == nil {
				abort(&SilenceError{probeLimit, "a probe"})
			}
		}
	}()
	return stop
}

func (c idleTimeoutClient) responds(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return false
	}
	resp, err := c.HTTPClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return true
}

// retryPause is the shortest time in which a retry is useful: the SDK waits up to a second before the first.
const retryPause = time.Second

// finalError is an error that the SDK does not retry, because too little time is left in a bounded context.
type finalError struct{ error }

// CanceledError reports true, so that the SDK's retryer treats the error as final.
func (*finalError) CanceledError() bool { return true }

func (e *finalError) Unwrap() error { return e.error }

// idleTimer is the timer of one request.
type idleTimer struct {
	caller context.Context // context of the caller
	ctx    context.Context // context of the request
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu    sync.Mutex
	timer *time.Timer
	begun bool // the response has begun
}

// sending restarts the timer while the request is sent, and stops it while the source of the body is
// read.
func (t *idleTimer) sending(waiting bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.begun: // the rest of the request may still be sent
	case waiting:
		t.timer.Stop()
	default:
		t.timer.Reset(t.limit)
	}
}

// answered stops the timer, and sets its limit for the body of the response.
func (t *idleTimer) answered(limit time.Duration, bounded bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	t.timer.Stop()
	if t.limit = limit; limit == 0 {
		t.limit = unlimited
	}
	if bounded {
		t.limit = min(t.limit, outage.Limit)
	}
}

// reason returns the SilenceError if it caused err, otherwise err.
func (t *idleTimer) reason(err error) error {
	if silence, ok := errors.AsType[*SilenceError](context.Cause(t.ctx)); ok {
		return silence
	}
	return err
}

// requestBody is the body of a request.
type requestBody struct {
	io.ReadCloser
	timer *idleTimer
}

func (b *requestBody) Read(p []byte) (int, error) {
	b.timer.sending(true)
	defer b.timer.sending(false)
	return b.ReadCloser.Read(p)
}

// responseBody is the body of a response. The timer runs only during reads.
type responseBody struct {
	io.ReadCloser
	timer *idleTimer
}

func (b *responseBody) Read(p []byte) (int, error) {
	b.timer.timer.Reset(b.timer.limit)
	n, err := b.ReadCloser.Read(p)
	b.timer.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		if err = b.timer.reason(err); b.timer.caller.Err() == nil {
			err = &outage.Error{Backend: outage.S3, Err: err}
		}
	}
	return n, err
}

func (b *responseBody) Close() error {
	b.timer.timer.Stop()
	defer b.timer.cancel(nil)
	return b.ReadCloser.Close()
}
