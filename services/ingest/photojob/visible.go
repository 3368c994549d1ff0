package photojob

import (
	"context"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

// Visible returns nil if a caller may see a job, which is its own, and otherwise lifecycle.ErrNotFound.
func (a *Area) Visible(ctx context.Context, c web.Caller, id string) error {
	job, err := a.store.Get(ctx, id)
	if err == nil && job.UserID != c.Owner {
		err = lifecycle.ErrNotFound
	}
	return err
}
