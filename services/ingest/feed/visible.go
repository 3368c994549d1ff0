package feed

import (
	"context"

	"github.com/assay-project/assay/pkg/web"
)

// Visible returns nil if an item exists, which all callers may see, and otherwise lifecycle.ErrNotFound.
func (a *Area) Visible(ctx context.Context, _ web.Caller, id string) error {
	_, err := a.store.Get(ctx, id)
	return err
}
