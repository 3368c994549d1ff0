package remote

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// maxMessage is how many bytes of a service's own words are repeated.
const maxMessage = 300

// Failed classes an answer with an error by its HTTP status. The message is the service's
// own, "" when it gives none.
func Failed(r Response, message string) *provider.Error {
	e := &provider.Error{Billed: provider.NotBilled, HTTP: r.Status, RetryAfter: RetryAfter(r.Header, time.Now())}
	said := "the provider answers " + strconv.Itoa(r.Status)
	if message = strings.TrimSpace(strings.ToValidUTF8(message[:min(len(message), maxMessage)], "")); message != "" {
		said += ": " + message
	}
	e.Err = errors.New(said)
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

// Bad is the error of an answer that was billed and cannot be used.
func Bad(r Response, format string, args ...any) *provider.Error {
	return &provider.Error{
		Class: provider.Retry, Code: provider.BadAnswer, Billed: provider.IsBilled, HTTP: r.Status,
		Err: fmt.Errorf("the provider's answer cannot be used: "+format, args...),
	}
}

// Blocked is the error of content that a service refuses.
func Blocked(r Response, billed provider.Billed, reason string) *provider.Error {
	return &provider.Error{
		Class: provider.Permanent, Code: provider.SafetyBlocked, Billed: billed, HTTP: r.Status,
		Err: fmt.Errorf("the provider refuses the photo or the prompt by its content policy (%s)", reason),
	}
}

// maxRetryAfter bounds what a service may ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads the header Retry-After: seconds or a date. It is 0 when there is none.
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
