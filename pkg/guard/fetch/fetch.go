// Package fetch requests documents from external servers, limits the size of their responses,
// and classifies failures.
package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-project/assay/pkg/reason"
)

// Permanent errors. Other errors may be temporary.
const (
	ErrUnauthorized = reason.FeedKeyRejected
	ErrGone         = reason.FeedGone
	ErrMalformed    = reason.FeedMalformed
	ErrTooLarge     = reason.FeedTooLarge
)

// Throttled means that a server temporarily rejects requests.
type Throttled struct {
	Reason string
	After  time.Duration // 0 if the server does not specify it
}

// Error returns the reason and the pause.
func (t *Throttled) Error() string {
	if t.After == 0 {
		return t.Reason
	}
	return fmt.Sprintf("%s; retry after %s", t.Reason, t.After.Round(time.Second))
}

// Unwrap returns the reason.
func (t *Throttled) Unwrap() error { return reason.FeedThrottled.With(reason.Report, t.Error()) }

// Client fetches documents. It is safe for concurrent use.
type Client struct {
	HTTP    *http.Client // must have a timeout and block private addresses
	MaxBody int64        // maximum size of a response body in bytes, after decompression
}

// Request describes the document to fetch.
type Request struct {
	URL    string
	Header http.Header
	// Stay disables redirects, so that a key in the header is not sent to
	// another server.
	Stay bool
}

// Response is a response of any status.
type Response struct {
	URL    string // URL that responded, after redirects
	Moved  string // URL after the permanent redirects from the requested one, if there were any
	Status int
	Header http.Header
	Body   []byte
}

// Get fetches a document. It returns guard.ErrBlocked, ErrTooLarge, or another error
// if the server cannot be reached or is too slow.
func (c Client) Get(ctx context.Context, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return Response{}, err
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "assay")
	client := c.HTTP
	if r.Stay {
		staying := *client
		staying.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		client = &staying
	}
	resp, err := client.Do(req)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.MaxBody+1))
	if err != nil {
		return Response{}, fmt.Errorf("read the response: %w", err)
	}
	if int64(len(body)) > c.MaxBody {
		return Response{}, ErrTooLarge.With(reason.MoreThan, c.MaxBody)
	}
	return Response{
		URL: resp.Request.URL.String(), Moved: moved(resp.Request), Status: resp.StatusCode, Header: resp.Header, Body: body,
	}, nil
}

// moved returns the URL to which permanent redirects led before the first temporary one. last is the request after all
// redirects.
func moved(last *http.Request) string {
	to := ""
	for r := last; r.Response != nil; r = r.Response.Request {
		switch r.Response.StatusCode {
		case http.StatusMovedPermanently, http.StatusPermanentRedirect:
			if to == "" {
				to = r.URL.String()
			}
		default:
			to = ""
		}
	}
	return to
}

// Err returns nil for the statuses 200 and 304, and otherwise the error for the status.
// detail is the server's own message; it can be empty.
func (r Response) Err(detail string) error {
	failed, response, values := reason.FeedStatus.Fill(r.Status), reason.StatusCode, []any{r.Status}
	if detail != "" {
		failed, response, values = reason.FeedMessage.Fill(r.Status, detail), reason.StatusMessage, append(values, detail)
	}
	after := r.RetryAfter(time.Now())
	switch {
	case r.Status == http.StatusOK || r.Status == http.StatusNotModified:
		return nil
	case r.Status == http.StatusUnauthorized:
		return ErrUnauthorized.With(response, values...)
	case r.Status == http.StatusGone:
		return ErrGone.With(response, values...)
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable && after > 0:
		return &Throttled{failed.Error(), after}
	}
	return failed
}

// maxRetryAfter is the maximum pause that a server can request.
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns the pause that the Retry-After header requests, in seconds or as a date, up to a
// day. It returns 0 if the header is missing or invalid.
func (r Response) RetryAfter(now time.Time) time.Duration {
	value := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return min(max(0, time.Duration(seconds)*time.Second), maxRetryAfter)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(now)), maxRetryAfter)
	}
	return 0
}
