package library

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

// Move moves a node to a folder, or to the root if folder is empty, with the permissions of a caller. It returns a problem if that
// is not possible.
func (a *Area) Move(ctx context.Context, c web.Caller, id, folder string) error {
	missing := web.NotFound("The target folder does not exist, or you may not change it. Choose another folder.")
	if folder != "" && uuid.Validate(folder) != nil {
		return missing
	}
	if folder != "" {
		_, err := a.store.Writable(ctx, folder, caller(c))
		if errors.Is(err, lifecycle.ErrNotFound) {
			return missing
		}
		if err != nil {
			return a.Problem(err)
		}
	}
	done, err := a.store.Bulk(ctx, caller(c), []library.Operation{{Op: library.OpMove, ID: id, ParentID: folder}})
	if err != nil {
		return err
	}
	return a.Problem(done[0].Err)
}
