package textfile

import (
	"context"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

// Visible returns nil if a caller may see a file, and otherwise lifecycle.ErrNotFound.
func (a *Area) Visible(ctx context.Context, c web.Caller, id string) error {
	if uuid.Validate(id) != nil {
		return lifecycle.ErrNotFound
	}
	f, err := a.store.Head(ctx, id)
	if err == nil && !c.MaySee(f.OwnerID) {
		err = lifecycle.ErrNotFound
	}
	return err
}
