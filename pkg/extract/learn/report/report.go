// Package report describes a trained model: as values, as a page with plots and as text.
package report

import (
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Report describes a trained model and how well it predicts. Complete prepares it for publication.
type Report struct {
	Verdict ModelVerdict `json:"verdict" doc:"whether the model is of use"`
	Task    learn.Task   `json:"task" enum:"regression,classification" doc:"regression: predicts a number; classification: predicts the probability of the second of two values"`
	Target  string       `json:"target" doc:"the column that the model predicts"`
	Classes []string     `json:"classes,omitempty" nullable:"false" doc:"of a classification: the two values of the column; probabilities are those of the second"`
	File    TrainingFile `json:"file" doc:"the file with the records"`
	Model   TrainedModel `json:"model"`

	Rows     TrainingRows  `json:"rows" doc:"the records used and left out"`
	Features ModelFeatures `json:"features" doc:"what the model predicts from"`
	Split    TrainingSplit `json:"split" doc:"the parts of the data for cross-validation"`

	Candidates     []ModelCandidate       `json:"candidates" nullable:"false" doc:"the learners compared by cross-validation"`
	Regression     *RegressionQuality     `json:"regression,omitempty" doc:"of a regression: errors of predictions by models that were not trained on the predicted rows"`
	Classification *ClassificationQuality `json:"classification,omitempty" doc:"of a classification: errors of predictions by models that were not trained on the predicted rows"`
	Importance     []FeatureImportance    `json:"importance" nullable:"false" doc:"the most important features, at most 20, the most important first"`
	LearningCurve  []LearningPoint        `json:"learningCurve" nullable:"false" doc:"the score by number of training rows"`
	Interval       *PredictionInterval    `json:"interval,omitempty" doc:"of a regression: the interval of a prediction"`
	Domain         *ApplicabilityDomain   `json:"domain,omitempty" doc:"the applicability domain: the examples for which predictions can be trusted"`
	Remarks        []string               `json:"remarks" nullable:"false" doc:"what was guessed or left out"`
}

// Metric is the score by which models are compared.
type Metric string

// Metrics.
const (
	RMSE    Metric = "rmse"    // root mean square error; less is better
	AUC     Metric = "auc"     // area under the ROC curve; more is better
	LogLoss Metric = "logLoss" // mean negative log-likelihood, in nats; less is better
)

// ModelVerdict compares the chosen learner with a baseline that ignores all features. Judge returns it.
type ModelVerdict struct {
	Better        bool     `json:"better" doc:"whether the score is better than the baseline's by more than its standard error; if not, do not use the model"`
	Sentence      string   `json:"sentence" doc:"the verdict for people"`
	Metric        Metric   `json:"metric" enum:"rmse,auc,logLoss" doc:"the score: rmse, root mean square error; auc, area under the ROC curve; logLoss, mean negative log-likelihood"`
	Score         *float64 `json:"score,omitempty" doc:"the cross-validated score of the chosen learner; absent if undefined"`
	StandardError *float64 `json:"standardError,omitempty" doc:"the standard error of the score; absent if undefined"`
	Baseline      *float64 `json:"baseline,omitempty" doc:"the score of always predicting the mean, or of guessing; absent if undefined"`
}

// TrainingFile is the file with the records.
type TrainingFile struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version,omitempty" doc:"the version of the file that was read"`
	Run     int64  `json:"run,omitempty" doc:"the processing run that found the records"`
}

// TrainedModel identifies the model.
type TrainedModel struct {
	ID      string        `json:"id,omitempty"`
	Name    string        `json:"name,omitempty"`
	Version int64         `json:"version,omitempty"`
	Run     int64         `json:"run,omitempty" doc:"the training run"`
	Learner string        `json:"learner" doc:"the chosen learner, as in candidates"`
	Seed    uint64        `json:"seed" doc:"the seed of all random choices"`
	Created time.Time     `json:"createdAt,omitzero" doc:"when the model was trained"`
	Engines []ModelEngine `json:"engines" nullable:"false" doc:"the programs that computed features and models"`
}

// ModelEngine is a program that computed features or models.
type ModelEngine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// TrainingRows are the records of the file.
type TrainingRows struct {
	Used    int           `json:"used" doc:"the records that the model was trained on"`
	LeftOut []RowsLeftOut `json:"leftOut" nullable:"false" doc:"the records left out, by reason"`
	Filled  int           `json:"filled" doc:"the missing values of features that were replaced"`
}

// RowsLeftOut counts the records left out for a reason.
type RowsLeftOut struct {
	Reason      string `json:"reason" doc:"a code, such as no-value"`
	Explanation string `json:"explanation,omitempty" doc:"the reason for people"`
	Count       int    `json:"count"`
}

// ModelFeatures are what the model predicts from.
type ModelFeatures struct {
	Used         int             `json:"used"`
	Fields       int             `json:"fields" doc:"numeric columns of the file"`
	Properties   int             `json:"properties" doc:"properties calculated from structures"`
	Bits         int             `json:"bits" doc:"bits of Morgan fingerprints"`
	LeftOut      []ColumnLeftOut `json:"leftOut" nullable:"false" doc:"the columns left out, at most 100"`
	LeftOutTotal int             `json:"leftOutTotal" doc:"the number of columns left out"`
}

// ColumnLeftOut is a column that is no feature.
type ColumnLeftOut struct {
	Name        string `json:"name"`
	Property    bool   `json:"property,omitempty" doc:"whether it is a property calculated from structures"`
	Reason      string `json:"reason" doc:"a code, such as constant"`
	Explanation string `json:"explanation,omitempty" doc:"the reason for people"`
}

// TrainingSplit is how the rows were divided for cross-validation.
type TrainingSplit struct {
	Folds     int    `json:"folds"`
	GroupedBy string `json:"groupedBy" enum:"molecule,identicalRows,none" doc:"which rows stay in one fold: those of a molecule, or those with the same features"`
	Groups    int    `json:"groups" doc:"the number of groups"`
	Sizes     []int  `json:"sizes" nullable:"false" doc:"the number of rows of each fold"`
}

// ModelCandidate is a learner with parameters and its score.
type ModelCandidate struct {
	Learner       string             `json:"learner" doc:"such as ridge"`
	Parameters    []LearnerParameter `json:"parameters" nullable:"false"`
	Score         *float64           `json:"score,omitempty" doc:"the mean cross-validated score, in the metric of the verdict; absent if undefined"`
	StandardError *float64           `json:"standardError,omitempty" doc:"the standard error of the score; absent if undefined"`
	Chosen        bool               `json:"chosen"`
	Error         string             `json:"error,omitempty" doc:"why the learner failed"`
}

// LearnerParameter is a parameter of a learner.
type LearnerParameter struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// RegressionQuality is the quality of predictions of a number.
type RegressionQuality struct {
	RMSE         *float64         `json:"rmse,omitempty" doc:"root mean square error; absent if undefined"`
	MAE          *float64         `json:"mae,omitempty" doc:"mean absolute error; absent if undefined"`
	R2           *float64         `json:"r2,omitempty" doc:"coefficient of determination; absent if undefined"`
	BaselineRMSE *float64         `json:"baselineRmse,omitempty" doc:"root mean square error of always predicting the mean; absent if undefined"`
	Points       []PredictedValue `json:"points" nullable:"false" doc:"actual and predicted values, at most 1000 rows, evenly chosen"`
	Residuals    []ResidualBin    `json:"residuals" nullable:"false" doc:"the histogram of actual minus predicted values"`
}

// PredictedValue is the actual and the predicted value of a row.
type PredictedValue struct {
	Actual    float64 `json:"actual"`
	Predicted float64 `json:"predicted"`
}

// ResidualBin counts values from From (inclusive) to To (exclusive).
type ResidualBin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// ClassificationQuality is the quality of predicted probabilities.
type ClassificationQuality struct {
	AUC              *float64         `json:"auc,omitempty" doc:"area under the ROC curve; that of guessing is 0.5; absent if undefined"`
	Accuracy         *float64         `json:"accuracy,omitempty" doc:"the share of rows predicted correctly; absent if undefined"`
	BalancedAccuracy *float64         `json:"balancedAccuracy,omitempty" doc:"the mean of the accuracies of both classes; absent if undefined"`
	LogLoss          *float64         `json:"logLoss,omitempty" doc:"mean negative log-likelihood; absent if undefined"`
	BaselineAccuracy *float64         `json:"baselineAccuracy,omitempty" doc:"the accuracy of always predicting the more frequent class; absent if undefined"`
	BaselineLogLoss  *float64         `json:"baselineLogLoss,omitempty" doc:"the log loss of always predicting the shares of the classes; absent if undefined"`
	Confusion        ConfusionMatrix  `json:"confusion" doc:"rows by actual and predicted class; the positive class is the second; a row is predicted positive if its probability is at least 0.5"`
	ROC              []ROCPoint       `json:"roc" nullable:"false" doc:"the ROC curve, at most 1000 points"`
	Calibration      []CalibrationBin `json:"calibration" nullable:"false" doc:"predicted probabilities and observed shares, in ten bins; empty bins are left out"`
}

// ConfusionMatrix counts rows by actual and predicted class. The positive class is the second.
type ConfusionMatrix struct {
	TrueNegatives  int `json:"trueNegatives"`
	FalsePositives int `json:"falsePositives"`
	FalseNegatives int `json:"falseNegatives"`
	TruePositives  int `json:"truePositives"`
}

// ROCPoint is a point of the receiver operating characteristic.
type ROCPoint struct {
	FalsePositiveRate float64 `json:"falsePositiveRate"`
	TruePositiveRate  float64 `json:"truePositiveRate"`
}

// CalibrationBin compares the predicted probabilities of a range with what was observed.
type CalibrationBin struct {
	Predicted float64 `json:"predicted" doc:"the mean predicted probability"`
	Observed  float64 `json:"observed" doc:"the share of rows of the second class"`
	Count     int     `json:"count" doc:"the number of rows"`
}

// FeatureImportance is a feature and its influence.
type FeatureImportance struct {
	Name        string   `json:"name" doc:"a column, a property, or a bit such as Morgan bit 1234"`
	Share       float64  `json:"share" doc:"the share of the importance of all features, from 0 to 1"`
	Coefficient *float64 `json:"coefficient,omitempty" doc:"of linear models: the coefficient, in the units of the feature"`
}

// LearningPoint is the score of the chosen learner with part of the rows.
type LearningPoint struct {
	Rows          int      `json:"rows" doc:"the number of training rows"`
	Score         float64  `json:"score" doc:"the cross-validated score, in the metric of the verdict"`
	StandardError *float64 `json:"standardError,omitempty" doc:"the standard error of the score; absent if undefined"`
	TrainScore    *float64 `json:"trainScore,omitempty" doc:"the score on the training rows; absent if not measured"`
}

// PredictionInterval is the interval around a prediction.
type PredictionInterval struct {
	Coverage  float64 `json:"coverage" doc:"the share of values within the interval, such as 0.9"`
	HalfWidth float64 `json:"halfWidth" doc:"half the width of the interval, in the unit of the target"`
}

// ApplicabilityDomain is the applicability domain. A row outside it differs from all training rows.
type ApplicabilityDomain struct {
	Kind      string   `json:"kind" enum:"tanimoto,distance" doc:"tanimoto: the Tanimoto similarity of fingerprints; distance: 1/(1+d/√p), where d is the Euclidean distance of the p features, each divided by its standard deviation"`
	Threshold float64  `json:"threshold" doc:"the least similarity to the nearest training row of a row inside, from 0 to 1"`
	Inside    *float64 `json:"inside,omitempty" doc:"the share of training rows inside, each compared with the others; absent if undefined"`
}
