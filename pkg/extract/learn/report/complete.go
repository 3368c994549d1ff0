package report

import "unicode/utf8"

const (
	maxName   = 200 // characters of a name, reason or remark
	maxListed = 100 // columns left out, reasons, remarks, candidates, engines
)

// Complete makes the report fit for publication: it removes numbers that are not finite, which JSON cannot express, shortens
// names to 200 characters and lists to their documented lengths, and replaces nil lists by empty ones. The lists that the
// report was made from do not change.
func (r *Report) Complete() {
	cut(&r.Target, &r.File.ID, &r.File.Name, &r.Model.ID, &r.Model.Name, &r.Model.Learner, &r.Verdict.Sentence, &r.Split.GroupedBy)
	defined(&r.Verdict.Score, &r.Verdict.StandardError, &r.Verdict.Baseline)
	if len(r.Classes) > 0 {
		r.Classes = listed(r.Classes, 2, shorten)
	}
	r.Model.Engines = listed(r.Model.Engines, maxListed, func(e *ModelEngine) bool { cut(&e.Name, &e.Version); return true })
	r.Rows.LeftOut = listed(r.Rows.LeftOut, maxListed, func(l *RowsLeftOut) bool { cut(&l.Reason, &l.Explanation); return true })
	r.Features.LeftOutTotal = max(r.Features.LeftOutTotal, len(r.Features.LeftOut))
	r.Features.LeftOut = listed(r.Features.LeftOut, maxListed, func(c *ColumnLeftOut) bool { cut(&c.Name, &c.Reason, &c.Explanation); return true })
	r.Split.Sizes = listed(r.Split.Sizes, maxListed, func(*int) bool { return true })
	r.Candidates = listed(r.Candidates, maxListed, func(c *ModelCandidate) bool {
		cut(&c.Learner, &c.Error)
		defined(&c.Score, &c.StandardError)
		c.Parameters = listed(c.Parameters, maxListed, func(p *LearnerParameter) bool { cut(&p.Name); return finite(p.Value) })
		return true
	})
	if r.Regression != nil {
		r.Regression = r.Regression.complete()
	}
	if r.Classification != nil {
		r.Classification = r.Classification.complete()
	}
	r.Importance = listed(r.Importance, maxFeatures, func(i *FeatureImportance) bool {
		cut(&i.Name)
		defined(&i.Coefficient)
		return finite(i.Share)
	})
	r.LearningCurve = listed(r.LearningCurve, maxListed, func(l *LearningPoint) bool {
		defined(&l.StandardError, &l.TrainScore)
		return finite(l.Score)
	})
	if i := r.Interval; i != nil && !(finite(i.Coverage) && finite(i.HalfWidth)) {
		r.Interval = nil
	}
	if r.Domain != nil {
		d := *r.Domain
		cut(&d.Kind)
		defined(&d.Inside)
		if r.Domain = &d; !finite(d.Threshold) {
			r.Domain = nil
		}
	}
	r.Remarks = listed(r.Remarks, maxListed, shorten)
}

func (g RegressionQuality) complete() *RegressionQuality {
	defined(&g.RMSE, &g.MAE, &g.R2, &g.BaselineRMSE)
	g.Points = listed(g.Points, maxPoints, func(p *PredictedValue) bool { return finite(p.Actual) && finite(p.Predicted) })
	g.Residuals = listed(g.Residuals, maxListed, func(b *ResidualBin) bool { return finite(b.From) && finite(b.To) })
	return &g
}

func (c ClassificationQuality) complete() *ClassificationQuality {
	defined(&c.AUC, &c.Accuracy, &c.BalancedAccuracy, &c.LogLoss, &c.BaselineAccuracy, &c.BaselineLogLoss)
	c.ROC = listed(c.ROC, maxPoints, func(p *ROCPoint) bool { return finite(p.FalsePositiveRate) && finite(p.TruePositiveRate) })
	c.Calibration = listed(c.Calibration, maxListed, func(b *CalibrationBin) bool { return finite(b.Predicted) && finite(b.Observed) })
	return &c
}

// listed returns a copy of at most n elements, changed by prepare, without those for which it returns false.
func listed[E any](all []E, n int, prepare func(*E) bool) []E {
	kept := make([]E, 0, min(len(all), n))
	for _, e := range all[:min(len(all), n)] {
		if prepare(&e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// defined replaces numbers that are not finite by nil.
func defined(all ...**float64) {
	for _, v := range all {
		if *v != nil && !finite(**v) {
			*v = nil
		}
	}
}

func shorten(text *string) bool {
	cut(text)
	return true
}

// cut shortens texts that are too long.
func cut(texts ...*string) {
	for _, text := range texts {
		*text = shortenTo(*text, maxName)
	}
}

// shortenTo returns the first characters of a text, with an ellipsis if there are more.
func shortenTo(text string, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
