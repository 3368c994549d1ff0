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

// SilenceError ends a request to S3 of which nothing moved for as long as may be.
type SilenceError struct {
	Limit   time.Duration
	Setting string // that has the limit
}

func (e *SilenceError) Error() string {
	return fmt.Sprintf("nothing moved between here and S3 for %s, which is %s", e.Limit, e.Setting)
}

// Timeout tells the SDK's retryer and others what kind of error it is.
func (e *SilenceError) Timeout() bool { return true }

// attended is an HTTP client whose requests end with a SilenceError when nothing
// moves: no byte of the request goes out, no answer begins, or no byte of it comes
// while someone reads. However long all of it takes, it may.
type attended struct {
	aws.HTTPClient
	cfg Config
}

func (c attended) Do(r *http.Request) (*http.Response, error) {
	silence := &SilenceError{c.cfg.Timeout, "ASSAY_S3_TIMEOUT"}
	if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") || r.Header.Get("X-Amz-Copy-Source") != "" {
		silence = &SilenceError{c.cfg.JoinTimeout, "ASSAY_S3_JOIN_TIMEOUT"}
	}
	if silence.Limit == 0 {
		return c.HTTPClient.Do(r)
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	a := &attention{ctx: ctx, cancel: cancel, limit: silence.Limit}
	a.timer = time.AfterFunc(silence.Limit, func() { cancel(silence) })
	sent := r.WithContext(ctx) // a copy with the same headers, which nobody changes
	if r.Body != nil && r.Body != http.NoBody {
		sent.Body, sent.GetBody = &goingOut{r.Body, a}, nil
	}
	resp, err := c.HTTPClient.Do(sent)
	a.answered()
	if err != nil {
		err = a.reason(err)
		cancel(nil)
		return resp, err
	}
	resp.Body = &comingIn{resp.Body, a}
	return resp, nil
}

// attention is paid to one request.
type attention struct {
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu    sync.Mutex
	timer *time.Timer
	begun bool // the answer has
}

// sending says that the request goes out, or that it waits for what is to be sent.
func (a *attention) sending(waits bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.begun: // the rest of the request may still be on its way
	case waits:
		a.timer.Stop()
	default:
		a.timer.Reset(a.limit)
	}
}

func (a *attention) answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = true
	a.timer.Stop()
}

// reason is the SilenceError where that is why err came.
func (a *attention) reason(err error) error {
	if silence, ok := errors.AsType[*SilenceError](context.Cause(a.ctx)); ok {
		return silence
	}
	return err
}

// goingOut is the body of a request.
type goingOut struct {
	io.ReadCloser
	attention *attention
}

func (b *goingOut) Read(p []byte) (int, error) {
	b.attention.sending(true)
	defer b.attention.sending(false)
	return b.ReadCloser.Read(p)
}

// comingIn is the body of an answer. Nothing is expected of S3 while nobody reads.
type comingIn struct {
	io.ReadCloser
	attention *attention
}

func (b *comingIn) Read(p []byte) (int, error) {
	b.attention.timer.Reset(b.attention.limit)
	n, err := b.ReadCloser.Read(p)
	b.attention.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.attention.reason(err)
	}
	return n, err
}

func (b *comingIn) Close() error {
	b.attention.timer.Stop()
	defer b.attention.cancel(nil)
	return b.ReadCloser.Close()
}
