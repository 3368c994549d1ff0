package report

import (
	"fmt"
	"math"
)

// A chart is a plot with its caption. It is empty if there is nothing to draw.
type chart struct {
	Title, Caption string
	Drawing        string // SVG
	Legend         []key
	Table          table
}

// A key explains a line of a plot.
type key struct{ Class, Text string }

// A table has the numbers of a plot.
type table struct {
	Caption string
	Heads   []string
	Rows    [][]string
}

func (r Report) predicted() chart {
	g := r.Regression
	c := chart{Title: "Predicted and actual values"}
	if g == nil || len(g.Points) == 0 {
		return c
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range g.Points {
		low, high = min(low, p.Actual, p.Predicted), max(high, p.Actual, p.Predicted)
	}
	s, drawn := scaleOf(low, high)
	if !drawn {
		return c
	}
	c.Caption = fmt.Sprintf("Each of the %s points is a row, predicted by a model that was not trained on it.", grouped(len(g.Points)))
	if len(g.Points) < r.Rows.Used {
		c.Caption = fmt.Sprintf("%s of %s rows, evenly chosen, each predicted by a model that was not trained on it.", grouped(len(g.Points)), grouped(r.Rows.Used))
	}
	name := short(r.Target)
	p := newPlot("predicted", "Predicted and actual "+name, c.Caption+" Rows on the diagonal are predicted exactly.", "Actual "+name, "Predicted", s, s)
	p.diagonal("reference", 0)
	c.Legend = []key{{"reference", "predicted exactly"}}
	if i := r.Interval; i != nil && i.HalfWidth > 0 {
		p.diagonal("bound", i.HalfWidth)
		p.diagonal("bound", -i.HalfWidth)
		c.Legend = append(c.Legend, key{"bound", percent(i.Coverage) + " interval"})
	}
	p.b.WriteString(`<g class="dots">` + "\n")
	for _, at := range g.Points {
		p.dot(at.Actual, at.Predicted, 3)
	}
	p.b.WriteString("</g>\n")
	c.Drawing = p.done()
	return c
}

func (r Report) residuals() chart {
	c := chart{Title: "Residuals"}
	if r.Regression == nil || len(r.Regression.Residuals) == 0 {
		return c
	}
	bins := r.Regression.Residuals
	low, high, most := bins[0].From, bins[len(bins)-1].To, 0
	for _, b := range bins {
		most = max(most, b.Count)
	}
	x, drawn := scaleOf(min(low, 0), max(high, 0))
	y, some := fixedScale(0, max(1, float64(1.05*float64(most))))
	if !drawn || !some {
		return c
	}
	c.Caption = "Actual minus predicted values. Residuals far from zero, or more on one side, show where the model errs."
	p := newPlot("residuals", "Histogram of residuals", c.Caption+fmt.Sprintf(" %d bars from %s to %s.", len(bins), rich(low), rich(high)), "Actual minus predicted", "Rows", x, y)
	for _, b := range bins {
		left, right, top := p.x.at(b.From), p.x.at(b.To), p.y.at(float64(b.Count))
		fmt.Fprintf(&p.b, `<rect class="column" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", left+0.5, top, max(right-left-1, 1), p.y.from-top)
	}
	p.line("zero", 0, p.y.low, 0, p.y.high)
	c.Drawing = p.done()
	return c
}

func (r Report) roc() chart {
	c := chart{Title: "ROC curve"}
	if r.Classification == nil || len(r.Classification.ROC) < 2 {
		return c
	}
	unit, _ := fixedScale(0, 1)
	c.Caption = "True positives against false positives, for every threshold."
	if auc := r.Classification.AUC; auc != nil {
		c.Caption += " The area under the curve (AUC) is " + plain(*auc) + "; that of guessing is 0.5."
	}
	p := newPlot("roc", "ROC curve", c.Caption, "False positive rate", "True positive rate", unit, unit)
	values := make([]float64, 0, 2*len(r.Classification.ROC)+4)
	for _, at := range r.Classification.ROC {
		values = append(values, at.FalsePositiveRate, at.TruePositiveRate)
	}
	p.line("area", append(values, 1, 0, 0, 0)...)
	p.diagonal("reference", 0)
	p.line("curve", values...)
	if auc := r.Classification.AUC; auc != nil {
		p.text("value", "end", p.x.to-10, p.y.from-16, "AUC "+plain(*auc))
	}
	c.Legend = []key{{"curve", "model"}, {"reference", "guessing"}}
	c.Drawing = p.done()
	return c
}

func (r Report) calibration() chart {
	c := chart{Title: "Calibration"}
	if r.Classification == nil || len(r.Classification.Calibration) == 0 {
		return c
	}
	unit, _ := fixedScale(0, 1)
	most := 1
	for _, b := range r.Classification.Calibration {
		most = max(most, b.Count)
	}
	c.Caption = "How often the second class occurs among rows of similar probability. Near the diagonal, probabilities can be taken at face value. Larger points have more rows."
	p := newPlot("calibration", "Calibration of probabilities", c.Caption, "Predicted probability", "Observed share", unit, unit)
	p.diagonal("reference", 0)
	c.Table = table{Caption: "Calibration", Heads: []string{"Predicted", "Observed", "Rows"}}
	var values []float64
	for _, b := range r.Classification.Calibration {
		values = append(values, b.Predicted, b.Observed)
		c.Table.Rows = append(c.Table.Rows, []string{rich(b.Predicted), rich(b.Observed), grouped(b.Count)})
	}
	p.line("curve", values...)
	p.b.WriteString(`<g class="marks">` + "\n")
	for _, b := range r.Classification.Calibration {
		p.dot(b.Predicted, b.Observed, 3+float64(6*math.Sqrt(float64(max(b.Count, 0))/float64(most))))
	}
	p.b.WriteString("</g>\n")
	c.Legend = []key{{"curve", "model"}, {"reference", "perfect"}}
	c.Drawing = p.done()
	return c
}

func (r Report) learning() chart {
	c := chart{Title: "Learning curve"}
	if len(r.LearningCurve) < 2 {
		return c
	}
	low, high, most := math.Inf(1), math.Inf(-1), 0
	reach := func(v float64) { low, high = min(low, v), max(high, v) }
	name := r.Verdict.Metric.heading()
	c.Table = table{Caption: "Learning curve", Heads: []string{"Rows", name, "Standard error", "On training rows"}}
	var score, train []float64
	for _, l := range r.LearningCurve {
		most = max(most, l.Rows)
		spread := value(l.StandardError)
		reach(l.Score - spread)
		reach(l.Score + spread)
		score = append(score, float64(l.Rows), l.Score)
		if l.TrainScore != nil {
			reach(*l.TrainScore)
			train = append(train, float64(l.Rows), *l.TrainScore)
		}
		c.Table.Rows = append(c.Table.Rows, []string{grouped(l.Rows), rich(l.Score), optional(l.StandardError, rich), optional(l.TrainScore, rich)})
	}
	base := r.Verdict.Baseline
	if base != nil {
		reach(*base)
	}
	x, drawn := fixedScale(0, float64(1.05*float64(most)))
	y, some := scaleOf(low, high)
	if !drawn || !some {
		return c
	}
	c.Caption = "The cross-validated score by number of training rows, with standard errors. If it still improves at the right, more rows help."
	p := newPlot("learning", "Learning curve", c.Caption, "Training rows", name, x, y)
	if c.Legend = []key{{"curve", "cross-validated"}}; len(train) > 2 {
		p.line("training", train...)
		c.Legend = append(c.Legend, key{"training", "on training rows"})
	}
	if base != nil {
		p.line("reference", p.x.low, *base, p.x.high, *base)
		c.Legend = append(c.Legend, key{"reference", "baseline"})
	}
	p.line("curve", score...)
	for _, l := range r.LearningCurve {
		if e := value(l.StandardError); e > 0 {
			at, top, bottom := p.x.at(float64(l.Rows)), p.y.at(l.Score+e), p.y.at(l.Score-e)
			fmt.Fprintf(&p.b, `<path class="error" d="M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8"/>`+"\n", at, top, bottom, at-4, top, at-4, bottom)
		}
	}
	p.b.WriteString(`<g class="marks">` + "\n")
	for _, l := range r.LearningCurve {
		p.dot(float64(l.Rows), l.Score, 4)
	}
	p.b.WriteString("</g>\n")
	c.Drawing = p.done()
	return c
}

// value returns an optional number, or 0.
func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// optional formats an optional number. It returns a dash for none.
func optional(v *float64, format func(float64) string) string {
	if v == nil {
		return "–"
	}
	return format(*v)
}
