package model

import (
	"context"
	"errors"
	"math"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/learn/domain"
	"github.com/assay-project/assay/pkg/extract/learn/score"
	"github.com/assay-project/assay/pkg/extract/learn/trained"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// training is what the steps after Optimize work on.
type training struct {
	asked  library.TrainingRequest
	chosen chosen
	source *source
	set    *dataset.Set
}

// training reads the result of Optimize and makes the examples again.
func (e Environment) training(ctx context.Context, f *step.File) (training, error) {
	t := training{}
	var err error
	if t.asked, err = request[library.TrainingRequest](ctx, f); err != nil {
		return t, err
	}
	if t.chosen, err = readJSON[chosen](ctx, f, library.ChoiceName); err != nil {
		return t, err
	}
	if t.source, err = e.open(ctx, f, t.chosen.FileID, t.chosen.FileRun); err != nil {
		return t, err
	}
	if t.set, err = t.source.examples(ctx, t.asked.Column, t.asked.Seed); err != nil {
		return t, err
	}
	if len(t.chosen.Choice.Predicted) != t.set.Data.X.Rows {
		return t, reason.SourceChanged
	}
	return t, nil
}

// after returns a step after Optimize, which reserves memory and makes the examples.
func (e Environment) after(run func(ctx context.Context, f *step.File, t training) (step.Result, error)) step.Step {
	return step.Step{Time: trainingTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, trainingMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		t, err := e.training(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		return run(ctx, f, t)
	}}
}

// learner returns the learner that Optimize has chosen.
func (t training) learner() (learn.Learner, error) {
	l, ok := trained.Candidate(t.set.Data, t.asked.Seed, t.chosen.Choice.Best)
	if !ok {
		return l, reason.ModelChanged
	}
	return l, nil
}

// Train returns the step that fits the chosen learner to all examples.
func (e Environment) Train() step.Step {
	return e.after(func(ctx context.Context, f *step.File, t training) (step.Result, error) {
		l, err := t.learner()
		if err != nil {
			return step.Result{}, err
		}
		fitted, err := l.Fit(ctx, t.set.Data, rows(t.set))
		if err != nil {
			return step.Result{}, err
		}
		var d *domain.Domain
		if t.set.Fingerprints != nil {
			d, err = domain.OfMolecules(ctx, t.set.Fingerprints, t.asked.Seed)
		} else {
			d, err = domain.OfRows(ctx, t.set.Data.X, t.asked.Seed)
		}
		if err != nil {
			return step.Result{}, err
		}
		width, err := t.halfWidth()
		if err != nil {
			return step.Result{}, err
		}
		m, err := trained.New(t.set, fitted, width, d)
		if err != nil {
			return step.Result{}, err
		}
		document, err := m.Encode()
		if err != nil {
			return step.Result{}, err
		}
		key, err := f.Store(ctx, library.ModelName, binaryType, document)
		return step.Result{Key: key, Engine: engine}, err
	})
}

// rows returns the numbers of all rows of a set.
func rows(set *dataset.Set) []int {
	all := make([]int, set.Data.X.Rows)
	for i := range all {
		all[i] = i
	}
	return all
}

// halfWidth returns half the width of the interval around a prediction, from the errors of predictions of rows that were not
// learned from. It is 0 for Classification.
func (t training) halfWidth() (float64, error) {
	if t.set.Target.Task == learn.Classification {
		return 0, nil
	}
	amounts := make([]float64, len(t.chosen.Choice.Predicted))
	for i, p := range t.chosen.Choice.Predicted {
		amounts[i] = math.Abs(t.set.Data.Y[i] - p)
	}
	return score.HalfWidth(amounts, trained.Coverage)
}

// load reads the model of a run. It returns reason.ModelGone if it was deleted or trained again.
func load(ctx context.Context, f *step.File, id string, run int64) (*trained.Model, error) {
	document, err := f.Other(id, run).ResultPart(ctx, library.ModelName, 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, reason.ModelChanged
	}
	if err != nil {
		return nil, err
	}
	return trained.Decode(document)
}
