package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/webhook"
)

// ItemDelivery is a delivery of an event about an item, with the endpoint.
type ItemDelivery struct {
	Endpoint webhook.Endpoint
	webhook.Delivery
}

// DeliveriesOf reads the deliveries of an event about an item of an owner, those to endpoints of the owner first. It omits
// deliveries to endpoints that were deleted.
func (s *Service) DeliveriesOf(ctx context.Context, owner, eventID string, at time.Time) ([]ItemDelivery, error) {
	owners := []string{owner, webhook.Operators}
	if owner == "" {
		owners = owners[1:]
	}
	var all []ItemDelivery
	for _, one := range owners {
		endpoints, err := s.endpoints.List(ctx, one)
		if err != nil {
			return nil, err
		}
		for _, e := range endpoints {
			d, err := s.deliveries.Get(ctx, e.ID, at.UnixMilli(), eventID)
			if errors.Is(err, platform.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, ItemDelivery{e, d})
		}
	}
	return all, nil
}
