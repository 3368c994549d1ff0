package library

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/query/webhook"
)

// Describe describes a file to receivers of webhooks. Its result is the node as the API shows it.
func (a *Area) Describe(o webhook.Outcome) webhook.Item {
	return webhook.Item{
		URL: "/v1/library/nodes/" + o.ID,
		Below: func(ctx context.Context, folder string) (bool, error) {
			path, err := a.store.Path(ctx, o.ID)
			if errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, library.ErrTooDeep) {
				return false, nil
			}
			return slices.ContainsFunc(path, func(n library.Node) bool { return n.ID == folder }), err
		},
		Result: func(ctx context.Context) (json.RawMessage, error) {
			n, err := a.store.Get(ctx, o.ID)
			if errors.Is(err, lifecycle.ErrNotFound) {
				return nil, nil // deleted since
			}
			if err != nil {
				return nil, err
			}
			return json.Marshal(n.View(library.Caller{Owner: o.Owner}))
		},
	}
}
