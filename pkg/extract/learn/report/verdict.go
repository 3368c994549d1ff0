package report

import (
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// Judge compares the cross-validated score of a model and its standard error with the score of a baseline that ignores
// all features. Pass NaN for what is undefined. A model is better only if the difference exceeds the standard error.
func Judge(task learn.Task, metric Metric, score, standardError, baseline float64) ModelVerdict {
	v := ModelVerdict{Metric: metric, Score: Value(score), StandardError: Value(standardError), Baseline: Value(baseline)}
	rival := "always predicting the mean"
	if task == learn.Classification {
		rival = "guessing"
	}
	if v.Score == nil || v.Baseline == nil {
		v.Sentence = "The model could not be compared with " + rival + ": do not use it."
		return v
	}
	gain := baseline - score
	if metric == AUC {
		gain = -gain
	}
	v.Better = gain > 0 && (v.StandardError == nil || gain > standardError)
	if !v.Better {
		v.Sentence = "The model is no better than " + rival + ": do not use it."
		return v
	}
	v.Sentence = fmt.Sprintf("The model is better than %s: its %s is %s instead of %s", rival, metric.label(), plain(score), plain(baseline))
	if metric != AUC && baseline > 0 {
		v.Sentence += ", " + percent(gain/baseline) + " less"
	}
	v.Sentence += "."
	return v
}

// comparison is the second sentence of the verdict: the numbers.
func (v ModelVerdict) comparison() string {
	if v.Score == nil || v.Baseline == nil {
		return "The cross-validated " + v.Metric.label() + " is undefined."
	}
	score := plain(*v.Score)
	if v.StandardError != nil {
		score += " ± " + plain(*v.StandardError) + " (standard error)"
	}
	of := "always predicting the mean"
	switch v.Metric {
	case AUC:
		of = "guessing"
	case LogLoss:
		of = "always predicting the shares of the classes"
	}
	return fmt.Sprintf("Cross-validated %s: %s. That of %s: %s.", v.Metric.label(), score, of, plain(*v.Baseline))
}

// label names the metric within a sentence.
func (m Metric) label() string {
	switch m {
	case RMSE:
		return "error (RMSE)"
	case LogLoss:
		return "log loss"
	case AUC:
		return "AUC"
	}
	return "score"
}

// heading names the metric at the top of a column or beside an axis.
func (m Metric) heading() string {
	switch m {
	case RMSE:
		return "RMSE"
	case LogLoss:
		return "Log loss"
	case AUC:
		return "AUC"
	}
	return "Score"
}

// Value returns a pointer to a finite number, and nil for others, which JSON cannot express.
func Value(v float64) *float64 {
	if !finite(v) {
		return nil
	}
	return &v
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
