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
	"github.com/assay-project/assay/services/ingest/accept"
)

// retry makes the move of a replay.
func (a *Area) retry(ctx context.Context, i item) (again item, err error) {
	i.file, _, err = a.store.Retry(ctx, i.file, nil)
	return i, err
}

// ReadAgain is the body of calls that process a file again.
type ReadAgain struct {
	Options *library.ReadOptions `json:"options,omitempty" doc:"how the file is read, instead of its present options; an empty object opens all of them; default: the options stay"`
}

type againInput struct {
	FileParam
	Body *ReadAgain `required:"false"`
}

// repeated returns the change of a call that processes a file again after a move, with the options of the call.
func (a *Area) repeated(
	move func(context.Context, library.File, *library.ReadOptions) (library.File, library.Workflow, error),
) func(context.Context, item, *againInput) (item, error) {
	return func(ctx context.Context, i item, in *againInput) (item, error) {
		var options *library.ReadOptions
		if in.Body != nil && in.Body.Options != nil {
			o, err := checked(*in.Body.Options)
			if err != nil {
				return i, err
			}
			options = &o
		}
		return a.again(func(ctx context.Context, i item) (item, error) {
			var err error
			i.file, _, err = move(ctx, i.file, options)
			return i, err
		})(ctx, i)
	}
}

// retryStep starts another run of a file for one failed step. It returns library.ErrNoWorkflow and library.ErrStep.
func (a *Area) retryStep(ctx context.Context, i item, in *stepInput) (item, error) {
	return a.again(func(ctx context.Context, i item) (item, error) {
		kept, err := a.keep(ctx, i.file, in.Step)
		if err != nil {
			return i, err
		}
		i.file, _, err = a.store.RetryStep(ctx, i.file, in.Step, kept)
		return i, err
	})(ctx, i)
}

// keep copies the results of all steps except one, and the records of the file, to keys of the next run. It returns
// the copied results.
func (a *Area) keep(ctx context.Context, file library.File, step string) (map[string]plan.Result, error) {
	w, err := a.store.WorkflowOf(ctx, file)
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
		document, err := a.Bucket.Part(ctx, from+records.IndexName, 0, -1)
		if errors.Is(err, blob.ErrNotFound) {
			return nil, library.ErrNoWorkflow
		}
		if err != nil {
			return nil, err
		}
		x, err := records.ParseIndex(document)
		if err != nil {
			return nil, err
		}
		names[records.IndexName] = true
		for chunk := range x.Chunks() {
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

type stepInput struct {
	FileParam
	Step string `path:"step" maxLength:"100" example:"thumbnails"`
}

// again returns the change that starts another run of a file, with a move.
func (a *Area) again(move accept.Change[item]) accept.Change[item] {
	return func(ctx context.Context, i item) (item, error) {
		if i.trashed {
			return i, library.ErrTrashed
		}
		i, err := a.Retry(ctx, i, move)
		if err == nil {
			i.node, err = a.store.Get(ctx, i.file.ID)
		}
		return i, err
	}
}
