package model

import (
	"bytes"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/learn/report"
	"github.com/assay-project/assay/pkg/extract/learn/score"
	"github.com/assay-project/assay/pkg/extract/learn/trained"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// curveShares returns the shares of the rows of the points of a learning curve before the last one, which is the score of the
// choice.
func curveShares() []float64 { return []float64{0.125, 0.25, 0.5} }

// manyRows is the number of rows from which a learning curve has only two points.
const manyRows = 10_000

// Report returns the step that describes the model.
func (e Environment) Report() step.Step {
	return e.after(func(ctx context.Context, f *step.File, t training) (step.Result, error) {
		m, err := load(ctx, f, f.ID, f.Run)
		if err != nil {
			return step.Result{}, err
		}
		r, err := t.report(ctx, m)
		if err != nil {
			return step.Result{}, err
		}
		r.Model.ID, r.Model.Name, r.Model.Version = f.ID, f.Name, f.Run
		r.Complete()
		var page bytes.Buffer
		if err := report.Page(&page, r); err != nil {
			return step.Result{}, err
		}
		if _, err := f.Store(ctx, library.ReportPageName, htmlType, page.Bytes()); err != nil {
			return step.Result{}, err
		}
		key, err := storeJSON(ctx, f, library.ReportName, r)
		return step.Result{Key: key, Engine: engine, Metadata: map[string]any{"model": summary(r)}}, err
	})
}

// summary returns the metadata of a model.
func summary(r report.Report) map[string]any {
	return map[string]any{
		"verdict": r.Verdict.Sentence, "task": string(r.Task), "column": r.Target, "learner": r.Model.Learner, "version": r.Model.Version,
		"fileId": r.File.ID, "fileName": r.File.Name, "fileVersion": r.File.Run, "rows": r.Rows.Used, "features": r.Features.Used,
	}
}

func (t training) report(ctx context.Context, m *trained.Model) (report.Report, error) {
	set, choice := t.set, t.chosen.Choice
	best := choice.Candidates[choice.Best]
	metric := report.RMSE
	if set.Target.Task == learn.Classification {
		metric = report.AUC
	}
	r := report.Report{
		Verdict: report.Judge(set.Target.Task, metric, best.Score, best.StandardError, t.chosen.Baseline),
		Task:    set.Target.Task, Target: set.Target.Column.Name, Classes: set.Target.Classes,
		File:     report.TrainingFile{ID: t.chosen.FileID, Name: t.chosen.FileName, Run: t.chosen.FileRun},
		Model:    report.TrainedModel{Learner: best.Name, Seed: t.asked.Seed, Created: time.Now().UTC().Truncate(time.Second), Engines: t.engines()},
		Rows:     rowsOf(set.Report),
		Features: featuresOf(set),
		Remarks:  set.Report.Remarks,
	}
	split, err := folds(set, t.asked.Seed)
	if err != nil {
		return r, err
	}
	r.Split = splitOf(set, split)
	for i, c := range choice.Candidates {
		one := report.ModelCandidate{Learner: c.Name, Parameters: report.Parameters(c.Parameters), Chosen: i == choice.Best, Error: c.Error}
		if c.Error == "" {
			one.Score, one.StandardError = report.Value(c.Score), report.Value(c.StandardError)
		}
		r.Candidates = append(r.Candidates, one)
	}
	if err := t.quality(&r); err != nil {
		return r, err
	}
	var coefficients []float64
	if m.Linear != nil {
		coefficients = m.Linear.Coefficients()
	}
	r.Importance = report.Top(set.Features.Names(), m.Predictor().Importance(), coefficients)
	r.Domain = &report.ApplicabilityDomain{Kind: "distance", Threshold: m.Domain.Threshold()}
	if m.Domain.Molecules() {
		r.Domain.Kind = "tanimoto"
	}
	l, err := t.learner()
	if err != nil {
		return r, err
	}
	shares := curveShares()
	if set.Data.X.Rows > manyRows {
		shares = shares[1:2]
	}
	points, err := choose.Curve(ctx, set.Data, split, l, shares, t.asked.Seed)
	if ctx.Err() != nil {
		return r, err
	}
	for _, p := range points { // none if the learner needs all rows
		r.LearningCurve = append(r.LearningCurve, report.LearningPoint{
			Rows: p.Rows, Score: p.Score, StandardError: report.Value(p.StandardError), TrainScore: report.Value(p.Train),
		})
	}
	all := float64(set.Data.X.Rows) * (trained.Folds - 1) / trained.Folds
	r.LearningCurve = append(r.LearningCurve, report.LearningPoint{Rows: int(math.Round(all)), Score: best.Score, StandardError: report.Value(best.StandardError)})
	return r, nil
}

// quality adds the errors of the predictions of rows that were not learned from. The score is the mean of the folds, as in the
// verdict.
func (t training) quality(r *report.Report) error {
	y, predicted, best := t.set.Data.Y, t.chosen.Choice.Predicted, t.chosen.Choice.Candidates[t.chosen.Choice.Best]
	if t.set.Target.Task == learn.Regression {
		of, err := score.OfNumbers(y, predicted)
		if err != nil {
			return err
		}
		width, err := t.halfWidth()
		if err != nil {
			return err
		}
		r.Regression = &report.RegressionQuality{
			RMSE: report.Value(best.Score), MAE: report.Value(of.MAE), R2: report.Value(of.R2), BaselineRMSE: report.Value(t.chosen.Baseline),
			Points: report.Pairs(y, predicted), Residuals: report.Residuals(y, predicted),
		}
		r.Interval = &report.PredictionInterval{Coverage: trained.Coverage, HalfWidth: width}
		return nil
	}
	of, err := score.OfProbabilities(y, predicted)
	if err != nil {
		return err
	}
	share := 0.0
	for _, v := range y {
		share += v / float64(len(y))
	}
	r.Classification = &report.ClassificationQuality{
		AUC: report.Value(best.Score), Accuracy: report.Value(of.Accuracy), BalancedAccuracy: report.Value(of.BalancedAccuracy), LogLoss: report.Value(of.LogLoss),
		BaselineAccuracy: report.Value(max(share, 1-share)), BaselineLogLoss: report.Value(-share*math.Log(share) - (1-share)*math.Log(1-share)),
		Confusion: report.ConfusionMatrix{
			TrueNegatives: of.Confusion.TrueZeros, FalsePositives: of.Confusion.FalseOnes,
			FalseNegatives: of.Confusion.FalseZeros, TruePositives: of.Confusion.TrueOnes,
		},
		ROC: report.ROC(y, predicted), Calibration: report.Calibration(y, predicted),
	}
	return nil
}

// engines returns the programs that made the model.
func (t training) engines() []report.ModelEngine {
	all := []report.ModelEngine{{Name: "learn", Version: engine}}
	if t.set.Fingerprints != nil {
		all = append(all, report.ModelEngine{Name: "RDKit", Version: structure.Version})
	}
	return all
}

func rowsOf(r dataset.Report) report.TrainingRows {
	rows := report.TrainingRows{Used: r.Rows, Filled: r.Replaced}
	for _, reason := range slices.Sorted(maps.Keys(r.Excluded)) {
		rows.LeftOut = append(rows.LeftOut, report.RowsLeftOut{Reason: string(reason), Explanation: reason.Explanation(), Count: r.Excluded[reason]})
	}
	return rows
}

func featuresOf(set *dataset.Set) report.ModelFeatures {
	all := report.ModelFeatures{Used: set.Features.Len(), Bits: len(set.Features.Bits), LeftOutTotal: len(set.Report.Columns)}
	for _, c := range set.Features.Columns {
		if c.Property {
			all.Properties++
		} else {
			all.Fields++
		}
	}
	for _, c := range set.Report.Columns {
		explanation := c.Reason.Explanation()
		if c.Other != "" {
			explanation += ": " + c.Other
		}
		all.LeftOut = append(all.LeftOut, report.ColumnLeftOut{Name: c.Name, Property: c.Property, Reason: string(c.Reason), Explanation: explanation})
	}
	return all
}

func splitOf(set *dataset.Set, folds []int) report.TrainingSplit {
	split := report.TrainingSplit{Folds: trained.Folds, GroupedBy: "identicalRows", Groups: set.Report.Groups, Sizes: make([]int, trained.Folds)}
	if set.Fingerprints != nil {
		split.GroupedBy = "molecule"
	}
	for _, fold := range folds {
		split.Sizes[fold]++
	}
	return split
}
