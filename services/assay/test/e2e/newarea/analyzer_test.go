package newarea

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	handler "github.com/assay-project/assay/services/analyzer/work"
)

// adding is the area's part of the analyzer. The parts of other areas are in services/analyzer/<area>.
type adding struct {
	store  store
	bus    *bus.Bus
	worker *handler.Worker
	broken *atomic.Bool // whether processing fails for all items
}

func (a *adding) Name() string { return areaName }

func (a *adding) Check(ctx context.Context) error { return a.store.check(ctx) }

func (a *adding) Consumers() []bus.Consumer {
	return []bus.Consumer{handler.Consumer(a.worker, bus.Consumer{
		Name: consumer, Area: areaName, Stream: workStream,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: a.worker.Config.Time} },
	}, steps{a})}
}

func (a *adding) Sweep(ctx context.Context, r *sweeper.Run) error {
	return sweeper.Sweep(ctx, r, sweep{steps{a}}, noObjects{})
}

// steps implements the processing steps of package work.
type steps struct{ *adding }

func (s steps) Get(ctx context.Context, id string) (sum, error) { return s.store.get(ctx, id) }

func (s steps) Claim(ctx context.Context, d *bus.Delivery) (sum, error) {
	item, err := s.store.get(ctx, d.Item)
	if ended, _ := item.ended(); err != nil || ended {
		return item, err
	}
	return s.store.move(ctx, claim(), item, nil)
}

func (s steps) Process(_ context.Context, _ *bus.Delivery, item sum) (total int64, err error) {
	if s.broken.Load() {
		return 0, bus.Permanent(reason.ProviderUnreachable)
	}
	for _, n := range item.Numbers {
		total += n
	}
	return total, nil
}

func (s steps) Finish(ctx context.Context, item sum, total int64) (sum, error) {
	return s.store.move(ctx, complete(), item, table.Key{"total": table.Integer(total)})
}

func (s steps) Fail(ctx context.Context, item sum, f handler.Failure) (sum, error) {
	return s.store.move(ctx, fail(), item, table.Key{"errorMessage": table.Text(f.Reason)})
}

func (steps) Ended(item sum) (bool, string) { return item.ended() }

func (steps) Outcome(item sum) (event.Event, error) { return outcome(item), nil }

// sweep describes the table to package sweeper.
type sweep struct{ steps }

func (s sweep) Scan(ctx context.Context, _ *sweeper.Run, cursor string) ([]sum, string, int, error) {
	items, next, err := s.store.scan(ctx, cursor)
	return items, next, len(items), err
}

func (sweep) ID(item sum) string { return item.ID }

func (sweep) Changed(item sum) (time.Time, error) { return time.UnixMilli(item.UpdatedAt), nil }

func (s sweep) Outstanding(ctx context.Context, item sum) (bool, error) {
	return s.bus.Outstanding(ctx, added+item.ID, item.OwnerID)
}

func (s sweep) Repair(ctx context.Context, r *sweeper.Run, item sum) error {
	r.Found(ctx, sweeper.LostMessage, item.ID, func(ctx context.Context) error { return s.bus.Publish(ctx, newAdded(item)) })
	return nil
}

func (sweep) Recover(context.Context, *sweeper.Run, sum, event.Event) error { return nil }

// noObjects is the part of a sweep that concerns objects, for an area without objects.
type noObjects struct{}

func (noObjects) List(context.Context, string) ([]blob.Object, bool, error) { return nil, false, nil }

func (noObjects) Orphans(context.Context, *sweeper.Run, []blob.Object) (sweeper.Comparison, error) {
	return sweeper.Comparison{}, nil
}

func (noObjects) Remove(context.Context, string) error { return nil }
