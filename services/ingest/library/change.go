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
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/web"
)

func (a *Area) reprocess(ctx context.Context, i item) (item, error) {
	file, _, err := a.store.Reprocess(ctx, i.file)
	return item{i.node, file}, err
}

// retryStep returns the move to another run of a file for one failed step. It returns library.ErrNoWorkflow and
// library.ErrStep.
func (a *Area) retryStep(step string) func(context.Context, item) (item, error) {
	return func(ctx context.Context, i item) (item, error) {
		kept, err := a.keep(ctx, i.file, step)
		if err != nil {
			return i, err
		}
		file, _, err := a.store.RetryStep(ctx, i.file, step, kept)
		return item{i.node, file}, err
	}
}

// keep copies the results of all steps except one, and the records of the file, to keys of the next run. It returns
// the copied results.
func (a *Area) keep(ctx context.Context, file library.File, step string) (map[string]plan.Result, error) {
	w, err := a.store.Workflow(ctx, file.ID)
	if err != nil {
		return nil, library.ErrNoWorkflow
	}
	from, to := library.ResultKey(file.ID, file.Run, ""), library.ResultKey(file.ID, file.Run+1, "")
	kept, names := map[string]plan.Result{}, map[string]bool{}
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
			_, err := a.Bucket.Copy(ctx, to+name, blob.Copy{Key: from + name})
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
	return a.process(ctx, in.ID, in.Caller, a.Retry)
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
	return a.process(ctx, in.ID, in.Caller, a.retryStep(in.Step))
}

// process starts another run of a file that the caller owns, with a move, and returns the file's node.
func (a *Area) process(ctx context.Context, id string, who web.Caller, move func(context.Context, item) (item, error)) (*nodeOutput, error) {
	c := caller(who)
	path, file, err := a.writable(ctx, id, c)
	if err == nil && path.Trashed() {
		err = library.ErrTrashed
	}
	if err == nil {
		_, err = a.Items.Retry(ctx, item{path.Node(), file}, move)
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
