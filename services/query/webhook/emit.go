package webhook

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/webhook"
)

// Emit stores a delivery of an event for each endpoint that selects it: those of its owner, and those of the operators. They are
// durable when it returns nil. It can be repeated.
func (s *Service) Emit(ctx context.Context, e webhook.Event) error {
	all, err := s.registry.of(ctx, webhook.Operators)
	if err != nil {
		return err
	}
	if e.Owner != "" && e.Owner != webhook.Operators {
		own, err := s.registry.of(ctx, e.Owner)
		if err != nil {
			return err
		}
		all = slices.Concat(own, all)
	}
	if len(all) == 0 {
		return nil
	}
	named := ""
	if e.Item != "" {
		if named, err = s.endpoints.Named(ctx, e.Area, e.Item); err != nil {
			return err
		}
	}
	var failed []error
	var selecting []registered
	for _, to := range all {
		if to.ID == e.About || e.At.Before(to.CreatedAt) {
			continue // a repetition of old events contains some from before the registration
		}
		selected := to.ID == named
		if !selected && !to.Filter.Named {
			selected, err = to.Filter.Selects(ctx, e)
			failed = append(failed, err)
		}
		if selected {
			selecting = append(selecting, to)
		}
	}
	return errors.Join(append(failed, s.add(ctx, e, selecting...))...)
}

// add stores the deliveries of an event to endpoints.
func (s *Service) add(ctx context.Context, e webhook.Event, all ...registered) error {
	var added []webhook.New
	trace := obs.TraceFrom(ctx)
	for _, to := range all {
		body, err := e.Body(ctx, to.Include)
		if err != nil {
			return err
		}
		added = append(added, webhook.New{Disabled: to.State(to.health) == webhook.Disabled, Delivery: webhook.Delivery{
			EndpointID: to.ID, Owner: to.Owner, EventID: e.ID, Area: e.Area, ItemID: e.Item, Type: e.Type, OccurredAt: e.At.UnixMilli(), Body: body,
			RequestID: trace.RequestID, Trace: trace.Parent,
		}})
	}
	if err := s.deliveries.Add(ctx, added...); err != nil {
		return err
	}
	for _, to := range all {
		s.signal(to.ID)
	}
	return nil
}

// signal wakes the shard of an endpoint in this process.
func (s *Service) signal(endpointID string) {
	select {
	case s.wake[webhook.Shard(endpointID)] <- struct{}{}:
	default:
	}
}
