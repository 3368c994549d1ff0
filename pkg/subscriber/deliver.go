package subscriber

import (
	"context"
	"errors"
	"sync"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// subscription hands the deliveries of one Run to its handler.
type subscription struct {
	handle func(context.Context, Outcome) error
	done   *bus.Marks
	log    zerolog.Logger

	mu     sync.Mutex
	inHand map[string]chan struct{} // by event id; closed when the handler has returned
}

// deliver calls the handler unless the event is marked as done, and marks it.
func (s *subscription) deliver(ctx context.Context, d bus.Delivery) error {
	outcome, known, err := read(d)
	if err != nil {
		return bus.Permanent(err)
	}
	if !known {
		s.log.Debug().Str("type", d.Type).Msg("an event of a kind that this version does not know is passed over")
		return nil
	}
	leave, err := s.enter(ctx, d.ID)
	if err != nil {
		return err
	}
	defer leave()
	if done, err := s.done.Has(ctx, d.ID); done || err != nil {
		return err
	}
	if err := s.handle(ctx, outcome); err != nil {
		return err
	}
	// The effect has happened: the mark is worth a moment, even of a process
	// that is told to stop.
	return s.done.Set(context.WithoutCancel(ctx), d.ID)
}

// enter waits until no other delivery of the event is in hand. The caller
// calls leave. It returns an error when ctx ends before.
func (s *subscription) enter(ctx context.Context, id string) (leave func(), err error) {
	for {
		s.mu.Lock()
		other, busy := s.inHand[id]
		if !busy {
			mine := make(chan struct{})
			s.inHand[id] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.inHand, id)
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

// read decodes an outcome. known is false for kinds that later versions add.
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
