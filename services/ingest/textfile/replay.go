package textfile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
)

// Replay retries the file of a dead letter if the dead letter is about the file's current failure.
// A later failure has its own dead letter.
func (a *Area) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	fileID, ok := strings.CutPrefix(l.Subject, textfile.UploadedSubject(""))
	if !ok {
		return false, "", nil
	}
	file, err := a.store.Head(ctx, fileID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, "the file was deleted", nil
	case err != nil:
		return true, "", err
	case file.Status == textfile.Pending:
		_, err = a.uploads.Confirm(ctx, file)
		return true, "the file is already PENDING", err
	case file.Status != textfile.Failed:
		return true, fmt.Sprintf("the file is %s", file.Status), nil
	case file.Updated().After(l.Last):
		return true, "the file has since failed again; that failure has its own dead letter", nil
	}
	_, err = a.retry(ctx, file)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the file is %s", moved.Found), nil
	}
	return true, "", err
}
