package library

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
)

// Replay retries the file of a dead letter if the dead letter is about the file's current failure.
// A later failure has its own dead letter.
func (a *Area) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, step, ours := library.ParseStepSubject(l.Subject)
	if !ours {
		return false, "", nil
	}
	if step == library.StepErase {
		return true, "the next sweep repeats the erasure", nil
	}
	file, err := a.store.File(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound), err == nil && file.IsDeleted:
		return true, "the file was deleted", nil
	case err != nil:
		return true, "", err
	case file.Status != library.Failed && file.Status != library.ProcessedPartially:
		return true, fmt.Sprintf("the file is %s", file.Status), nil
	case file.Updated().After(l.Last):
		return true, "the file has changed since the failure", nil
	}
	err = a.retry(ctx, file)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the file is %s", moved.Found), nil
	}
	if errors.Is(err, upload.ErrNoBytes) || errors.Is(err, upload.ErrOtherBytes) {
		return true, "the uploaded content no longer exists", nil
	}
	return true, "", err
}
