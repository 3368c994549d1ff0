package query

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// maxWait is the longest that a request is held.
const maxWait = time.Minute

// lookAgain is how often a waiting request reads the table without a hint, in
// case the hint was lost.
const lookAgain = 2 * time.Second

// lookAtOnce bounds how many waiting requests read the table at once. A read
// takes a connection, which costs more memory than all else that waits.
const lookAtOnce = 32

// waits holds requests until their item is final.
type waits struct {
	bus    *bus.Bus
	places *web.Limiter
	looks  chan struct{} // a place for each read
}

func newWaits(cfg Config, events *bus.Bus) *waits {
	return &waits{bus: events, places: web.NewLimiter(cfg.Waits, cfg.WaitsPerClient), looks: make(chan struct{}, lookAtOnce)}
}

// WaitParam is the wait of a request, such as "30s", and its client.
type WaitParam struct {
	web.ClientParam
	Wait string `query:"wait" example:"30s" doc:"hold the answer until the item is final, or until this time is up; at most 60s. 429 or 503 with Retry-After when too many requests wait"`
}

// read gets an item, at once or, with a wait, once it is final or the wait is
// over. A wait that is not a duration, or one too many, is a problem.
func read[T any](ctx context.Context, w *waits, area, id string, in *WaitParam,
	get func(context.Context, string) (T, error), final func(T) bool,
) (T, error) {
	var none T
	held, err := parseWait(in.Wait)
	if err != nil {
		return none, err
	}
	if held == 0 {
		return get(ctx, id)
	}
	leave, err := in.EnterFor(w.places, "requests that wait")
	if err != nil {
		return none, err
	}
	defer leave()
	look := func() (item T, err error) {
		select {
		case w.looks <- struct{}{}:
			defer func() { <-w.looks }()
			return get(ctx, id)
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	item, err := look()
	if err != nil || final(item) {
		return item, err
	}
	return await(ctx, w.bus, event.OutcomesOf(area, id), held, look, final)
}

// await reads an item until it is final, wait is over or the server stops.
func await[T any](ctx context.Context, events *bus.Bus, outcomes string, wait time.Duration,
	look func() (T, error), final func(T) bool,
) (T, error) {
	var none T
	hint, stop, err := events.Watch(ctx, outcomes)
	if err != nil {
		return none, err
	}
	defer stop()
	over := time.NewTimer(wait)
	defer over.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		item, err := look()
		if err != nil || final(item) {
			return item, err
		}
		select {
		case <-hint:
		case <-again.C:
		case <-over.C:
			return item, nil
		case <-web.Draining(ctx):
			return item, nil
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
}

func parseWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 || wait > maxWait {
		return 0, web.Invalid(web.FieldError{Field: "query.wait", Message: "expected a duration from 0s to 60s, such as 30s"})
	}
	return wait, nil
}
