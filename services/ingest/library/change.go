package library

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
)

// retry starts another run of a Failed or ProcessedPartially file. It returns the errors of the move,
// and upload.ErrNoBytes or upload.ErrOtherBytes for a file whose content is missing or has changed.
func (a *Area) retry(ctx context.Context, file library.File) error {
	return a.again(ctx, file, a.store.Retry)
}

func (a *Area) reprocess(ctx context.Context, file library.File) error {
	return a.again(ctx, file, a.store.Reprocess)
}

// retryStep starts another run of a file for one failed step. It returns the errors of retry,
// library.ErrNoWorkflow and library.ErrStep.
func (a *Area) retryStep(ctx context.Context, file library.File, step string) error {
	return a.again(ctx, file, func(ctx context.Context, file library.File) (library.File, library.Workflow, error) {
		kept, err := a.keep(ctx, file, step)
		if err != nil {
			return library.File{}, library.Workflow{}, err
		}
		return a.store.RetryStep(ctx, file, step, kept)
	})
}

// again starts another run of a file if its content exists.
func (a *Area) again(ctx context.Context, file library.File, begin func(context.Context, library.File) (library.File, library.Workflow, error)) error {
	if file.Final() && !file.Unfetched() {
		if _, err := a.announcer.Find(ctx, file); err != nil {
			return err // without content, the file would remain Loaded
		}
	}
	file, _, err := begin(ctx, file)
	if err != nil {
		return err
	}
	return a.announcer.Begun(ctx, file)
}

// keep copies the results of all steps except one, and the records of the file, to keys of the next run. It returns
// the copied results.
func (a *Area) keep(ctx context.Context, file library.File, step string) (map[string]library.StepResult, error) {
	w, err := a.store.Workflow(ctx, file.ID)
	if err != nil {
		return nil, library.ErrNoWorkflow
	}
	from, to := library.ResultKey(file.ID, file.Run, ""), library.ResultKey(file.ID, file.Run+1, "")
	kept, names := map[string]library.StepResult{}, map[string]bool{}
	for name, result := range w.StepResults {
		if name == step {
			continue
		}
		for _, key := range []*string{&result.Key, &result.MetadataKey} {
			if rest, ours := strings.CutPrefix(*key, from); ours {
				names[rest] = true
				*key = to + rest
			}
		}
		kept[name] = result
	}
	if w.HasRecords() && step != extract.StepRecords {
		node, err := a.store.Get(ctx, file.ID)
		if err != nil {
			return nil, err
		}
		names[records.IndexName] = true
		for chunk := range records.Chunks(min(int(node.TotalRecords), records.MaxRecords)) {
			names[records.LinesName(chunk)], names[records.ColumnsName(chunk)] = true, true
		}
	}
	copies, ctx := errgroup.WithContext(ctx)
	copies.SetLimit(parallelCopies)
	for name := range names {
		copies.Go(func() error {
			_, err := a.bucket.Copy(ctx, to+name, blob.Copy{Key: from + name})
			return err
		})
	}
	if err := copies.Wait(); errors.Is(err, blob.ErrNotFound) {
		return nil, library.ErrNoWorkflow
	} else if err != nil {
		return nil, err
	}
	return kept, nil
}

// parallelCopies is the number of objects copied concurrently.
const parallelCopies = 16

func (a *Area) postRetry(ctx context.Context, in *fileInput) (*nodeOutput, error) {
	return a.process(ctx, in.ID, in.Caller, a.retry)
}

func (a *Area) postReprocess(ctx context.Context, in *fileInput) (*nodeOutput, error) {
	return a.process(ctx, in.ID, in.Caller, a.reprocess)
}

type stepInput struct {
	web.IDParam
	web.CallerParam
	Step string `path:"step" maxLength:"100" example:"thumbnails"`
}

func (a *Area) postRetryStep(ctx context.Context, in *stepInput) (*nodeOutput, error) {
	return a.process(ctx, in.ID, in.Caller, func(ctx context.Context, file library.File) error {
		return a.retryStep(ctx, file, in.Step)
	})
}

// process starts the processing of a file that the caller owns and returns the file's node.
func (a *Area) process(ctx context.Context, id string, who web.Caller, begin func(context.Context, library.File) error) (*nodeOutput, error) {
	c := caller(who)
	path, file, err := a.writable(ctx, id, c)
	if err == nil && path.Trashed() {
		err = library.ErrTrashed
	}
	if err == nil {
		err = begin(ctx, file)
	}
	if err != nil {
		return nil, a.problem(err)
	}
	node, err := a.store.Get(ctx, id)
	if err != nil {
		return nil, a.problem(err)
	}
	return output(node, c), nil
}
