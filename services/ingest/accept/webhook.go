package accept

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/pkg/webhook"
)

// endpoint returns the id of the webhook endpoint that a request names, or "". It returns a problem if the owner has none.
func (s Shared) endpoint(ctx context.Context, owner string) (string, error) {
	named := web.WebhookOf(ctx)
	if named == "" {
		return "", nil
	}
	e, err := s.Webhooks.Lookup(ctx, owner, named)
	if errors.Is(err, webhook.ErrNotFound) {
		err = web.Invalid(web.FieldError{Field: "header." + web.WebhookHeader, Message: "the owner has no webhook endpoint with this id or name"})
	}
	return e.ID, err
}

type beforeKey struct{}

// Before returns a context in which Reserve calls do for each item that it is about to create.
func Before(ctx context.Context, do func(ctx context.Context, area, id string) error) context.Context {
	return context.WithValue(ctx, beforeKey{}, do)
}

// before calls the function of Before for the items of a reservation.
func (r Reservation[I]) before(ctx context.Context, id string) error {
	do, ok := ctx.Value(beforeKey{}).(func(ctx context.Context, area, id string) error)
	if !ok {
		return nil
	}
	for _, item := range r.Counted(id) {
		if err := do(ctx, item.Area, item.ID); err != nil {
			return err
		}
	}
	return nil
}

// name stores that the items of a reservation name an endpoint.
func (r Reservation[I]) name(ctx context.Context, shared Shared, id, endpoint string) error {
	if endpoint == "" {
		return nil
	}
	counted := r.Counted(id)
	for _, item := range counted {
		if err := shared.Webhooks.Name(ctx, item.Area, item.ID, endpoint); err != nil {
			return err
		}
	}
	if len(counted) == 0 || counted[0].ID == id {
		return nil
	}
	return shared.Webhooks.Name(ctx, counted[0].Area, id, endpoint) // a batch
}
