package ingest

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/fair"
	"github.com/assay-project/assay/pkg/web"
)

// fullWait is after how long a client may try again that met a limit of waiting work.
const fullWait = 5 * time.Second

// fullRetry is fullWait as a header.
var fullRetry = strconv.Itoa(int(fullWait.Seconds()))

// fullProblem tells a client of a limit of waiting work, or returns err.
func fullProblem(err error) error {
	switch {
	case errors.Is(err, fair.ErrFull), errors.Is(err, bus.ErrFull):
		return web.Unavailable("Too much work is waiting.", fullWait).Because(err)
	case errors.Is(err, fair.ErrTenantFull):
		return web.NewProblem(http.StatusTooManyRequests, "too-much-waiting", "Too much work of this owner, or of this source, is waiting.").
			WithHeader("Retry-After", fullRetry).Because(err)
	case errors.Is(err, fair.ErrBacklogUnknown):
		return web.Unavailable("The event stream does not answer.", fullWait).Because(err)
	}
	return err
}
