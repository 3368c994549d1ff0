package library

import (
	"context"

	"github.com/assay-project/assay/pkg/library"
)

// retry begins another run of a Failed or ProcessedPartially file. It returns the errors of the move,
// and upload.ErrNoBytes or upload.ErrOtherBytes for a file that has lost its bytes.
func (a *Area) retry(ctx context.Context, file library.File) error {
	return a.again(ctx, file, a.store.Retry)
}

// again begins another run of a file, if its bytes are there.
func (a *Area) again(ctx context.Context, file library.File, begin func(context.Context, library.File) (library.File, library.Workflow, error)) error {
	if file.Final() {
		if _, err := a.announcer.Find(ctx, file); err != nil {
			return err // it would be Loaded with nothing to process
		}
	}
	file, _, err := begin(ctx, file)
	if err != nil {
		return err
	}
	return a.announcer.Begun(ctx, file)
}
