package model

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/score"
	"github.com/assay-project/assay/pkg/extract/learn/trained"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// trainingTime bounds an attempt of a step of a model. With the limits of examples, typical steps take a minute.
const trainingTime = 30 * time.Minute

// engine is the name and version of the algorithms, which a change of results increments.
const engine = "learn 1"

// chosen is the result of Optimize.
type chosen struct {
	FileID   string        `json:"fileId"`
	FileName string        `json:"fileName"`
	FileRun  int64         `json:"fileRun"`
	Baseline float64       `json:"baseline"` // cross-validated score of the mean
	Choice   choose.Choice `json:"choice"`
}

// Optimize returns the step that chooses a learner and its parameters by cross-validation. It pins the run of the file whose
// records the model learns from.
func (e Environment) Optimize() step.Step {
	return step.Step{Time: trainingTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, trainingMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		asked, err := request[library.TrainingRequest](ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		s, err := e.open(ctx, f, asked.FileID, 0)
		if err != nil {
			return step.Result{}, err
		}
		set, err := s.examples(ctx, asked.Column, asked.Seed)
		if err != nil {
			return step.Result{}, err
		}
		split, err := folds(set, asked.Seed)
		if err != nil {
			return step.Result{}, err
		}
		choice, err := choose.Choose(ctx, set.Data, split, trained.Candidates(set.Data, asked.Seed))
		if errors.Is(err, choose.ErrFailed) {
			return step.Result{}, reason.NoModel
		}
		if err != nil {
			return step.Result{}, err
		}
		baseline, err := choose.Choose(ctx, set.Data, split, []learn.Learner{score.Baseline()})
		if err != nil {
			return step.Result{}, err
		}
		key, err := storeJSON(ctx, f, library.ChoiceName, chosen{
			FileID: s.file.ID, FileName: s.file.Name, FileRun: s.file.Run, Baseline: baseline.Candidates[0].Score, Choice: choice,
		})
		return step.Result{Key: key, Engine: engine}, err
	}}
}
