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
type subscription struct {
	handle func(context.Context, Outcome) error
	done   markers
	log    zerolog.Logger

	mu         sync.Mutex
	inProgress map[string]chan struct{} // by event id; closed when the handler has returned
}

// deliver calls the handler unless the event has a dedupe marker, and stores one.
func (s *subscription) deliver(ctx context.Context, d bus.Delivery) error {
	outcome, known, err := read(d)
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
	if err := s.handle(ctx, outcome); err != nil {
		return err
	}
	// The effect has happened: store the marker even during shutdown.
	return s.done.set(context.WithoutCancel(ctx), d.ID)
}

// enter waits until no other delivery of the event is in progress. The caller calls leave. It
// returns an error when ctx ends first.
func (s *subscription) enter(ctx context.Context, id string) (leave func(), err error) {
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

// read decodes an outcome. known is false for kinds added by later versions.
func read(d bus.Delivery) (o Outcome, known bool, err error) {
	if d.ID == "" {
		return Outcome{}, false, errors.New("the outcome has no event id")
	}
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
