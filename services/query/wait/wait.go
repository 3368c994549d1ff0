// Package wait holds requests until their item is final. Outcomes wake them through the live hub,
// so a process needs only one subscription. Waiting requests also read the item every lookAgain, in
// case the hub is disconnected or the item changes without an outcome, such as when it is deleted.
package wait

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

const (
	// longest is the maximum wait of a request.
	longest = time.Minute
	// lookAgain is the interval at which a waiting request reads its item if no outcome arrives.
	lookAgain = 2 * time.Second
	// lookAtOnce bounds the number of waiting requests that read concurrently.
	// A read needs a connection, which uses more memory than the rest of a
	// waiting request.
	lookAtOnce = 32
)

// Waits holds requests. It is safe for concurrent use.
type Waits struct {
	hub     *live.Hub
	limiter *web.Limiter
	looks   chan struct{} // one slot per concurrent read
	again   time.Duration // lookAgain, except in tests
}

// New returns Waits that are woken by the outcomes in hub.
func New(cfg Config, hub *live.Hub) *Waits {
	return &Waits{hub: hub, limiter: web.NewHeldLimiter("waits", cfg.Waits, cfg.PerClient), looks: make(chan struct{}, lookAtOnce), again: lookAgain}
}

// Refusals lists the problems of a rejected wait.
var Refusals = web.Refusals{http.StatusTooManyRequests: {"too-many-at-once"}}

// Param is the wait parameter of a typed operation. Embed it in the input.
type Param struct {
	Wait string `query:"wait" example:"30s" doc:"delay the response until the item is final, at most this long and up to 60s; 429 or 503 with Retry-After if too many requests wait"`
}

// Read reads an item using get. It returns immediately or, with a wait, when the item is final, the
// wait is over, or the server drains. get must be strongly consistent. Read returns a problem if the
// wait is invalid or too long, or if too many requests wait; other errors are those of get.
func Read[T any](ctx context.Context, w *Waits, area, id string, in Param,
	get func(context.Context, string) (T, error), final func(T) bool,
) (T, error) {
	var none T
	wait, err := in.parse()
	if err != nil {
		return none, err
	}
	if wait == 0 {
		return get(ctx, id)
	}
	leave, err := w.Enter(ctx)
	if err != nil {
		return none, err
	}
	defer leave()
	// Subscribe before the first read, so that no later outcome is missed.
	seen, stop := w.hub.Watch(area, id)
	defer stop()
	over := time.Now().Add(wait)
	for {
		item, err := look(ctx, w, id, get)
		if err != nil || final(item) {
			return item, err
		}
		if !pause(ctx, seen, w.again, time.Until(over)) {
			return item, ctx.Err()
		}
	}
}

// Enter takes one of the slots of waiting requests for the caller of ctx. The request calls leave once. Enter returns a
// problem if too many requests wait.
func (w *Waits) Enter(ctx context.Context) (leave func(), err error) {
	return web.CallerOf(ctx).Enter(w.limiter, "waiting requests")
}

// look reads the item once a slot is free.
func look[T any](ctx context.Context, w *Waits, id string, get func(context.Context, string) (T, error)) (item T, err error) {
	select {
	case w.looks <- struct{}{}:
		defer func() { <-w.looks }()
		return get(ctx, id)
	case <-ctx.Done():
		return item, ctx.Err()
	}
}

// pause waits until an outcome arrives, again elapses, or the time left elapses. It reports whether to
// read the item again.
func pause(ctx context.Context, seen <-chan struct{}, again, left time.Duration) bool {
	timer := time.NewTimer(min(left, again))
	defer timer.Stop()
	select {
	case <-seen:
		return true
	case <-timer.C:
		return left > again
	case <-web.Draining(ctx):
	case <-ctx.Done():
	}
	return false
}

func (p Param) parse() (time.Duration, error) {
	if p.Wait == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(p.Wait)
	if err != nil || wait < 0 || wait > longest {
		return 0, web.Invalid(web.FieldError{Field: "query.wait", Message: "must be a duration from 0s to 60s, such as 30s"})
	}
	return wait, nil
}
