package subscriber

import (
	"context"
	"errors"
	"sync"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// subscription passes the deliveries of one Run to its handler.
type subscription[T any] struct {
	read   func(bus.Delivery) (e T, known bool, err error)
	handle func(context.Context, T) error
	done   markers
	log    zerolog.Logger

	mu         sync.Mutex
	inProgress map[string]chan struct{} // by event id; closed when the handler has returned
}

// deliver calls the handler and stores a dedupe marker, unless the event already has one.
func (s *subscription[T]) deliver(ctx context.Context, d bus.Delivery) error {
	if d.ID == "" {
		return bus.Permanent(errors.New("the event has no id"))
	}
	one, known, err := s.read(d)
	if err != nil {
		return bus.Permanent(err)
	}
	if !known {
		s.log.Debug().Str("type", d.Type).Msg("skipped an event of an unknown type")
		return nil
	}
	leave, err := s.enter(ctx, d.ID)
	if err != nil {
		return err
	}
	defer leave()
	if done, err := s.done.has(ctx, d.ID); done || err != nil {
		return err
	}
	if err := s.handle(ctx, one); err != nil {
		return err
	}
	// The event has been handled, so the marker is stored even during shutdown.
	return s.done.set(context.WithoutCancel(ctx), d.ID)
}

// enter waits until no other delivery of the event is in progress. The caller must call leave when
// its own delivery has ended. enter returns an error if ctx is done first.
func (s *subscription[T]) enter(ctx context.Context, id string) (leave func(), err error) {
	for {
		s.mu.Lock()
		other, busy := s.inProgress[id]
		if !busy {
			mine := make(chan struct{})
			s.inProgress[id] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.inProgress, id)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// readOutcome decodes an outcome. known is false for kinds added by later versions.
func readOutcome(d bus.Delivery) (o Outcome, known bool, err error) {
	o = Outcome{ID: d.ID, Item: d.Item, Owner: d.Owner, At: d.Time}
	switch d.Type {
	case "assay.v1.AnalysisCompleted":
		o.Completed = &event.AnalysisCompleted{}
		err = event.Unmarshal(d.Data, o.Completed)
		o.Area = o.Completed.Area
	case "assay.v1.AnalysisFailed":
		o.Failed = &event.AnalysisFailed{}
		err = event.Unmarshal(d.Data, o.Failed)
		o.Area = o.Failed.Area
	default:
		return Outcome{}, false, nil
	}
	return o, true, err
}

// readChange decodes a change of a node. known is false for events of other types.
func readChange(d bus.Delivery) (c NodeChange, known bool, err error) {
	if d.Type != "assay.v1.NodeChanged" {
		return NodeChange{}, false, nil
	}
	c = NodeChange{ID: d.ID, Changed: &event.NodeChanged{}}
	return c, true, event.Unmarshal(d.Data, c.Changed)
}
