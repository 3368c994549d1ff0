package ingest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// admission says whether new work may come in, from a look at the stream that
// is at most admissionAge old. What comes in between is refused by the stream
// itself.
type admission struct {
	full  func(context.Context) (bool, error)
	crowd func(flow string) bool // as bus.FlowFull

	mu     sync.Mutex
	looked time.Time
	was    bool
}

const admissionAge = time.Second

// closed returns the problem of a flow whose work may not come in.
func (a *admission) closed(ctx context.Context, flow string) error {
	full, err := a.look(ctx)
	switch {
	case err != nil:
		return web.Unavailable("The event stream does not answer.", 5*time.Second).Because(err)
	case full:
		return fullProblem(bus.ErrFull)
	case a.crowd(flow):
		return fullProblem(bus.ErrFlowFull)
	}
	return nil
}

// fullProblem tells a client of a limit of waiting work, or returns err.
func fullProblem(err error) error {
	switch {
	case errors.Is(err, bus.ErrFull):
		return web.Unavailable("Too much work is waiting.", 5*time.Second).Because(err)
	case errors.Is(err, bus.ErrFlowFull):
		return web.NewProblem(http.StatusTooManyRequests, "too-much-waiting", "Too much work of this owner, or of this source, is waiting.").
			WithHeader("Retry-After", "5").Because(err)
	}
	return err
}

// look says whether the stream of waiting work is full.
func (a *admission) look(ctx context.Context) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.looked) < admissionAge {
		return a.was, nil
	}
	full, err := a.full(ctx)
	if err != nil {
		return false, err
	}
	a.was, a.looked = full, time.Now()
	return full, nil
}
