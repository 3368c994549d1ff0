package photojob

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
)

// Replay retries the job of a dead letter if the job has not been retried since. A later failure
// has its own dead letter.
func (a *Area) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	if !strings.HasPrefix(l.Subject, strings.TrimSuffix(photojob.Work().Subjects, ">")) {
		return false, "", nil
	}
	job, err := a.store.Get(ctx, l.Subject[strings.LastIndexByte(l.Subject, '.')+1:])
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, "the job was deleted", nil
	case err != nil:
		return true, "", err
	case job.Status == photojob.Queued:
		return true, "the job is already QUEUED", a.announcer.Uploaded(ctx, job)
	case job.Status != photojob.Failed:
		return true, fmt.Sprintf("the job is %s", job.Status), nil
	case job.Updated().After(l.Last):
		return true, "the job has since failed again; that failure has its own dead letter", nil
	}
	_, err = a.retry(ctx, job, job.Prompt, job.Options)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the job is %s", moved.Found), nil
	}
	if errors.Is(err, errGone) {
		return true, "the uploaded photo has been removed", nil
	}
	return true, "", err
}
