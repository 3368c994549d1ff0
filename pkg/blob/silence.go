package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
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
// the caller reads. The total time is not limited.
type idleTimeoutClient struct {
	aws.HTTPClient
	cfg Config
}

func (c idleTimeoutClient) Do(r *http.Request) (*http.Response, error) {
	silence := &SilenceError{c.cfg.Timeout, "ASSAY_S3_TIMEOUT"}
	if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") || r.Header.Get("X-Amz-Copy-Source") != "" {
		silence = &SilenceError{joinFactor * c.cfg.Timeout, fmt.Sprintf("%d times ASSAY_S3_TIMEOUT", joinFactor)}
	}
	if silence.Limit == 0 {
		return c.HTTPClient.Do(r)
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	t := &idleTimer{ctx: ctx, cancel: cancel, limit: silence.Limit}
	t.timer = time.AfterFunc(silence.Limit, func() { cancel(silence) })
	sent := r.WithContext(ctx) // a copy that shares the headers, which are not modified
	if r.Body != nil && r.Body != http.NoBody {
		sent.Body, sent.GetBody = &requestBody{r.Body, t}, nil
	}
	resp, err := c.HTTPClient.Do(sent)
	t.answered()
	if err != nil {
		err = t.reason(err)
		cancel(nil)
		return resp, err
	}
	resp.Body = &responseBody{resp.Body, t}
	return resp, nil
}

// idleTimer is the timer of one request.
type idleTimer struct {
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

func (t *idleTimer) answered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	t.timer.Stop()
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
		err = b.timer.reason(err)
	}
	return n, err
}

func (b *responseBody) Close() error {
	b.timer.timer.Stop()
	defer b.timer.cancel(nil)
	return b.ReadCloser.Close()
}
