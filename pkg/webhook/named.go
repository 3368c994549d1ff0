package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// Name stores that an item names an endpoint of its owner. It is called before the item is created.
func (s *Endpoints) Name(ctx context.Context, area, id, endpointID string) error {
	return s.documents.Set(ctx, platform.EndpointItems+area, platform.Document{Name: id, Body: endpointID, Expires: time.Now().Add(Keep).Unix()})
}

// Named returns the id of the endpoint that an item names, or "".
func (s *Endpoints) Named(ctx context.Context, area, id string) (string, error) {
	d, err := s.documents.Get(ctx, platform.EndpointItems+area, id)
	if errors.Is(err, platform.ErrNotFound) {
		return "", nil
	}
	return d.Body, err
}

// Lookup returns the endpoint of an owner with an id or a name. It returns ErrNotFound if there is none.
func (s *Endpoints) Lookup(ctx context.Context, owner, idOrName string) (Endpoint, error) {
	all, err := s.List(ctx, owner)
	if err != nil {
		return Endpoint{}, err
	}
	for _, e := range all {
		if e.ID == idOrName || e.Name == idOrName {
			return e, nil
		}
	}
	return Endpoint{}, ErrNotFound
}
