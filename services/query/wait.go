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

// read gets an item, at once or, with a wait such as "30s", once it is final or
// the wait is over. A wait that is none is a problem.
func read[T any](ctx context.Context, events *bus.Bus, area, id, wait string,
	get func(context.Context, string) (T, error), final func(T) bool,
) (T, error) {
	var none T
	held, err := parseWait(wait)
	if err != nil {
		return none, err
	}
	item, err := get(ctx, id)
	if err != nil || held == 0 || final(item) {
		return item, err
	}
	return await(ctx, events, area, id, held, get, final)
}

// await reads an item until it is final, wait is over or the server stops.
func await[T any](ctx context.Context, events *bus.Bus, area, id string, wait time.Duration,
	get func(context.Context, string) (T, error), final func(T) bool,
) (T, error) {
	var none T
	hint, stop, err := events.Watch(ctx, event.OutcomesOf(area, id))
	if err != nil {
		return none, err
	}
	defer stop()
	over := time.NewTimer(wait)
	defer over.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		item, err := get(ctx, id)
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
