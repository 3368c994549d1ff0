package remote

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// maxMessage is the maximum length of a service's message in an error, in bytes.
const maxMessage = 300

// Failed classifies an error response by its HTTP status. message is the message of the service; ""
// if there is none.
func Failed(r Response, message string) *provider.Error {
	e := &provider.Error{Billed: provider.NotBilled, HTTP: r.Status, RetryAfter: RetryAfter(r.Header, time.Now())}
	e.Err = reason.ProviderStatus.Fill(r.Status)
	if message = strings.TrimSpace(strings.ToValidUTF8(message[:min(len(message), maxMessage)], "")); message != "" {
		e.Err = reason.ProviderMessage.Fill(r.Status, message)
	}
	switch r.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		e.Class, e.Code = provider.Suspend, provider.AccessDenied
	case http.StatusTooManyRequests:
		e.Class, e.Code = provider.Defer, provider.RateLimited
	case http.StatusGatewayTimeout:
		e.Class, e.Code, e.Billed = provider.Unknown, provider.Timeout, provider.MaybeBilled
	case http.StatusRequestTimeout:
		e.Class, e.Code = provider.Retry, provider.Unavailable
	default:
		e.Class, e.Code = provider.Permanent, provider.Rejected
		if r.Status >= http.StatusInternalServerError || r.Status < http.StatusBadRequest {
			e.Class, e.Code = provider.Retry, provider.Unavailable
		}
	}
	return e
}

// Bad returns the error for a response that was billed but cannot be used. The format describes why, for the log.
func Bad(r Response, format string, args ...any) *provider.Error {
	return &provider.Error{
		Class: provider.Retry, Code: provider.BadAnswer, Billed: provider.IsBilled, HTTP: r.Status,
		Err: fmt.Errorf("%w: %w", reason.ProviderAnswer, fmt.Errorf(format, args...)),
	}
}

// Blocked returns the error for content that a service rejects.
func Blocked(r Response, billed provider.Billed, policy string) *provider.Error {
	return &provider.Error{
		Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: billed, HTTP: r.Status,
		Err: reason.ProviderPolicy.Fill(policy),
	}
}

// maxRetryAfter is the maximum delay that a service can request.
const maxRetryAfter = 24 * time.Hour

// RetryAfter parses a Retry-After header, which contains seconds or a date. It returns 0 if there
// is none.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
