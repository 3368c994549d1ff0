package library

import (
	"context"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

// Visible returns nil if a caller may read a file: its own, one that is shared with it, or a public one. For folders, records and
// everything else it returns lifecycle.ErrNotFound.
func (a *Area) Visible(ctx context.Context, c web.Caller, id string) error {
	if uuid.Validate(id) != nil {
		return lifecycle.ErrNotFound
	}
	path, err := a.store.Readable(ctx, id, caller(c))
	if err == nil && !path.Node().IsFile() {
		err = lifecycle.ErrNotFound
	}
	return err
}
