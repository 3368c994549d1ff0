// Package admission returns the problems of requests that are rejected because the backlog is too
// large. Areas call bus.Admit before they accept work; see package fair for the limits.
package admission

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/fair"
	"github.com/assay-project/assay/pkg/web"
)

// retryAfter is the time after which a rejected client may retry.
const retryAfter = 5 * time.Second

// RetryAfter is the value of the Retry-After header of every rejection, in seconds.
func RetryAfter() string { return strconv.Itoa(int(retryAfter / time.Second)) }

// Refusals lists the responses of Problem that are not common to all operations.
var Refusals = web.Refusals{http.StatusTooManyRequests: {"too-much-waiting"}}

// Refused reports whether err is a rejection. The same work may be admitted later.
func Refused(err error) bool {
	return errors.Is(err, fair.ErrFull) || errors.Is(err, fair.ErrTenantFull) || errors.Is(err, bus.ErrFull)
}

// Problem returns the problem of a rejection, with a Retry-After: 429 for the limit of
// one tenant, 503 for the other limits and while the backlog is unknown. It returns
// other errors unchanged.
func Problem(err error) error {
	switch {
	case errors.Is(err, fair.ErrFull), errors.Is(err, bus.ErrFull):
		return web.Unavailable("Too much work is waiting.", retryAfter).Because(err)
	case errors.Is(err, fair.ErrTenantFull):
		return web.NewProblem(http.StatusTooManyRequests, "too-much-waiting", "Too much work is waiting for this owner or source.").
			WithHeader("Retry-After", RetryAfter()).Because(err)
	case errors.Is(err, fair.ErrBacklogUnknown):
		return web.Unavailable("The event stream is unavailable.", retryAfter).Because(err)
	}
	return err
}
