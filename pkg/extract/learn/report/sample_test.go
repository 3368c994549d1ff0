package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/report"
)

// common returns what all reports have.
func common() report.Report {
	return report.Report{
		File: report.TrainingFile{ID: "0197a1f0-5c1e-7000-8000-0242ac120002", Name: "solubility.train.sdf", Version: 3, Run: 1},
		Model: report.TrainedModel{
			ID: "0197a1f2-11aa-7000-8000-0242ac120002", Name: "Solubility", Version: 1, Run: 1, Learner: "boosting", Seed: 42,
			Created: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), Engines: []report.ModelEngine{{Name: "RDKit", Version: "2026.09.1"}, {Name: "gonum", Version: "0.16.0"}},
		},
		Rows: report.TrainingRows{Used: 1_217, LeftOut: []report.RowsLeftOut{
			{Reason: "no-value", Explanation: "the field to predict has no value", Count: 6},
			{Reason: "no-fingerprint", Explanation: "the record has no molecule that RDKit can read", Count: 2},
		}, Filled: 14},
		Features: report.ModelFeatures{
			Used: 1_036, Fields: 2, Properties: 10, Bits: 1_024, LeftOutTotal: 3,
			LeftOut: []report.ColumnLeftOut{{Name: "ID", Reason: "identifier", Explanation: "the values differ in each record, like identifiers"}, {Name: "source", Reason: "constant"}, {Name: "SOL_class", Reason: "text", Explanation: "the values are texts"}},
		},
		Split:         report.TrainingSplit{Folds: 5, GroupedBy: "molecule", Groups: 1_190, Sizes: []int{244, 243, 244, 243, 243}},
		LearningCurve: []report.LearningPoint{},
		Domain:        &report.ApplicabilityDomain{Kind: "tanimoto", Threshold: 0.31, Inside: report.Value(0.953)},
		Remarks:       []string{"27 molecules occur more than once; their records stay in one fold."},
	}
}

func regression() report.Report {
	r := common()
	r.Task, r.Target = learn.Regression, "SOL"
	random := rand.New(rand.NewPCG(1, 2))
	actual, predicted := make([]float64, 1_217), make([]float64, 1_217)
	var square float64
	for i := range actual {
		actual[i] = -2.7 + 2*random.NormFloat64()
		predicted[i] = -2.7 + 0.92*(actual[i]+2.7) + 0.66*random.NormFloat64()
		square += (actual[i] - predicted[i]) * (actual[i] - predicted[i])
	}
	rmse := math.Sqrt(square / 1_217)
	r.Verdict = report.Judge(r.Task, report.RMSE, rmse, 0.021, 2.047)
	r.Regression = &report.RegressionQuality{
		RMSE: report.Value(rmse), MAE: report.Value(0.531), R2: report.Value(1 - rmse*rmse/2.047/2.047), BaselineRMSE: report.Value(2.047),
		Points: report.Pairs(actual, predicted), Residuals: report.Residuals(actual, predicted),
	}
	r.Candidates = []report.ModelCandidate{
		{Learner: "ridge", Parameters: report.Parameters(map[string]float64{"alpha": 1}), Score: report.Value(0.931), StandardError: report.Value(0.03)},
		{Learner: "ridge", Parameters: report.Parameters(map[string]float64{"alpha": 100}), Score: report.Value(0.853), StandardError: report.Value(0.028)},
		{Learner: "forest", Parameters: report.Parameters(map[string]float64{"trees": 300, "minLeaf": 1, "maxDepth": 0, "maxFeatures": 345}), Score: report.Value(0.772), StandardError: report.Value(0.024)},
		{Learner: "boosting", Parameters: report.Parameters(map[string]float64{"trees": 300, "maxDepth": 4, "learningRate": 0.1, "maxLeaves": 31}), Score: report.Value(rmse), StandardError: report.Value(0.021), Chosen: true},
		{Learner: "boosting", Parameters: report.Parameters(map[string]float64{"trees": 300, "maxDepth": 6, "learningRate": 0.1, "maxLeaves": 31}), Error: "the matrix is not of full rank"},
	}
	names := []string{"clogP", "molecular weight", "TPSA", "aromatic rings", "H-bond donors", "rotatable bonds", "fraction of sp3 carbon"}
	for i := range 16 {
		names = append(names, fmt.Sprint("Morgan bit ", 80+i*61))
	}
	importance := make([]float64, len(names))
	for i := range importance {
		importance[i] = 0.34 * math.Pow(0.7, float64(i))
	}
	r.Importance = report.Top(names, importance, nil)
	for i, rows := range []int{97, 195, 390, 584, 779, 974} {
		r.LearningCurve = append(r.LearningCurve, report.LearningPoint{
			Rows: rows, Score: rmse + 0.6*math.Pow(0.5, float64(i)), StandardError: report.Value(0.06 - 0.007*float64(i)), TrainScore: report.Value(0.2 + 0.03*float64(i)),
		})
	}
	r.Interval = &report.PredictionInterval{Coverage: 0.9, HalfWidth: 1.12}
	return r
}

func classification() report.Report {
	r := common()
	r.Task, r.Target, r.Classes = learn.Classification, "diagnosis", []string{"benign", "malignant"}
	r.File.Name, r.Model.Name, r.Model.Learner = "breast_cancer.csv", "Diagnosis", "logistic"
	r.Features.Properties, r.Features.Bits, r.Features.Fields, r.Features.Used = 0, 0, 30, 30
	r.Rows.Used, r.Rows.LeftOut, r.Rows.Filled, r.Split.GroupedBy = 569, nil, 0, "identicalRows"
	r.Split.Sizes, r.Split.Groups = []int{114, 114, 114, 114, 113}, 569
	random := rand.New(rand.NewPCG(3, 4))
	actual, predicted := make([]float64, 569), make([]float64, 569)
	for i := range actual {
		if random.Float64() < 0.373 {
			actual[i] = 1
		}
		predicted[i] = 1 / (1 + math.Exp(-(3*actual[i] - 1.7 + 1.4*random.NormFloat64())))
	}
	r.Verdict = report.Judge(r.Task, report.AUC, 0.937, 0.008, 0.5)
	r.Classification = &report.ClassificationQuality{
		AUC: report.Value(0.937), Accuracy: report.Value(0.876), BalancedAccuracy: report.Value(0.861), LogLoss: report.Value(0.312),
		BaselineAccuracy: report.Value(0.627), BaselineLogLoss: report.Value(0.66),
		Confusion: report.ConfusionMatrix{TrueNegatives: 330, FalsePositives: 27, FalseNegatives: 41, TruePositives: 171},
		ROC:       report.ROC(actual, predicted), Calibration: report.Calibration(actual, predicted),
	}
	r.Candidates = []report.ModelCandidate{
		{Learner: "logistic", Parameters: report.Parameters(map[string]float64{"c": 1}), Score: report.Value(0.937), StandardError: report.Value(0.008), Chosen: true},
		{Learner: "forest", Parameters: report.Parameters(map[string]float64{"trees": 300, "minLeaf": 1, "maxDepth": 0, "maxFeatures": 345}), Score: report.Value(0.929), StandardError: report.Value(0.011)},
		{Learner: "boosting", Parameters: report.Parameters(map[string]float64{"trees": 300, "maxDepth": 4, "learningRate": 0.1, "maxLeaves": 31}), Score: report.Value(0.93), StandardError: report.Value(0.012)},
	}
	r.Importance = report.Top([]string{"worst radius", "mean texture", "worst concave points", "mean smoothness"}, []float64{0.38, 0.2, 0.31, 0.11}, []float64{1.03, -0.00214, 23.7, 121_417})
	for i, rows := range []int{46, 91, 182, 364, 455} {
		r.LearningCurve = append(r.LearningCurve, report.LearningPoint{Rows: rows, Score: 0.94 - 0.1*math.Pow(0.45, float64(i)), StandardError: report.Value(0.02 - 0.003*float64(i)), TrainScore: report.Value(1 - 0.01*float64(i))})
	}
	r.Domain = &report.ApplicabilityDomain{Kind: "distance", Threshold: 0.62, Inside: report.Value(0.95)}
	r.Remarks = nil
	return r
}

// useless returns the report of a model that learned nothing.
func useless() report.Report {
	r := regression()
	random := rand.New(rand.NewPCG(5, 6))
	actual, predicted := make([]float64, 300), make([]float64, 300)
	for i := range actual {
		actual[i], predicted[i] = 50+10*random.NormFloat64(), 50+2*random.NormFloat64()
	}
	r.Target, r.Rows.Used = "shelf number", 300
	r.Verdict = report.Judge(r.Task, report.RMSE, 10.3, 0.6, 10.1)
	r.Regression = &report.RegressionQuality{
		RMSE: report.Value(10.3), MAE: report.Value(8.2), R2: report.Value(-0.04), BaselineRMSE: report.Value(10.1),
		Points: report.Pairs(actual, predicted), Residuals: report.Residuals(actual, predicted),
	}
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Score != nil {
			c.Score, c.StandardError = report.Value(10.2+0.1*float64(i)), report.Value(0.6)
		}
	}
	for i := range r.LearningCurve {
		l := &r.LearningCurve[i]
		l.Score, l.StandardError, l.TrainScore = 10.8-0.1*float64(i), report.Value(0.6), nil
	}
	r.Interval.HalfWidth = 16.8
	return r
}
