package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columns is the greatest width of a line of Text.
const columns = 80

// Text writes the report for a terminal, in lines of at most 80 columns: the verdict, the candidates, the errors, the most
// important features, the rows and columns left out, and remarks.
func Text(w io.Writer, r Report) error {
	r.Complete()
	t := &text{}
	t.paragraph("", r.Verdict.Sentence)
	t.paragraph("", r.Verdict.comparison())
	t.heading("Prediction of " + short(r.Target))
	t.field("Task", r.kind())
	t.field("File", clean(r.File.Name))
	t.field("Learner", learnerName(r.Model.Learner))
	t.field("Rows", grouped(r.Rows.Used))
	t.field("Features", grouped(r.Features.Used))
	t.paragraph("  ", r.Split.sentence())
	t.candidates(r)
	t.errors(r)
	if len(r.Importance) > 0 {
		t.heading("Most important features")
		for _, i := range r.Importance {
			coefficient := ""
			if i.Coefficient != nil {
				coefficient = "coefficient " + plain(*i.Coefficient)
			}
			t.row(fit(clean(i.Name), 44), right(percent(i.Share), 8), coefficient)
		}
	}
	if len(r.Rows.LeftOut) > 0 {
		t.heading("Rows left out")
		for _, l := range r.Rows.LeftOut {
			t.row(right(grouped(l.Count), 9), fit(explanation(l.Explanation, l.Reason), 66))
		}
	}
	if all := r.Features.LeftOut; len(all) > 0 {
		t.heading("Columns left out")
		for _, c := range all {
			t.row(fit(clean(c.Name), 30), fit(explanation(c.Explanation, c.Reason), 45))
		}
		if more := r.Features.LeftOutTotal - len(all); more > 0 {
			t.row("and " + grouped(more) + " more")
		}
	}
	if all := append(r.reliability(), r.Remarks...); len(all) > 0 {
		t.heading("Remarks")
		for _, remark := range all {
			t.paragraph("  ", remark)
		}
	}
	_, err := t.b.WriteTo(w)
	return err
}

type text struct{ b bytes.Buffer }

func (t *text) candidates(r Report) {
	if len(r.Candidates) == 0 {
		return
	}
	t.heading("Learners compared by " + r.Verdict.Metric.heading() + " (* chosen)")
	for _, c := range r.Candidates {
		mark, result := " ", "failed"
		if c.Chosen {
			mark = "*"
		}
		if c.Error == "" {
			result = optional(c.Score, plain)
			if c.StandardError != nil {
				result += " ± " + plain(*c.StandardError)
			}
		}
		t.row(mark, fit(learnerName(c.Learner), 50), result)
		t.paragraph("      ", settings(c.Parameters))
		t.paragraph("      ", c.Error)
	}
}

func (t *text) errors(r Report) {
	add := func(name string, v, baseline *float64) {
		if v == nil {
			return
		}
		against := ""
		if baseline != nil {
			against = "baseline " + plain(*baseline)
		}
		t.row(fit(name, 22), right(plain(*v), 10), against)
	}
	if g := r.Regression; g != nil {
		t.heading("Quality of the predictions")
		add("RMSE", g.RMSE, g.BaselineRMSE)
		add("Mean absolute error", g.MAE, nil)
		add("R²", g.R2, nil)
	}
	if c := r.Classification; c != nil {
		half := 0.5
		t.heading("Quality of the predictions")
		add("AUC", c.AUC, &half)
		add("Accuracy", c.Accuracy, c.BaselineAccuracy)
		add("Balanced accuracy", c.BalancedAccuracy, &half)
		add("Log loss", c.LogLoss, c.BaselineLogLoss)
		if n := c.Confusion; len(r.Classes) == 2 {
			no, yes := clean(r.Classes[0]), clean(r.Classes[1])
			t.heading("Confusion matrix")
			t.row(fit("actual", 22), right("predicted "+no, 24), right("predicted "+yes, 24))
			t.row(fit(no, 22), right(grouped(n.TrueNegatives), 24), right(grouped(n.FalsePositives), 24))
			t.row(fit(yes, 22), right(grouped(n.FalseNegatives), 24), right(grouped(n.TruePositives), 24))
		}
	}
}

func (t *text) heading(name string) {
	t.b.WriteString("\n" + strings.TrimRight(fit(name, columns), " ") + "\n")
}

func (t *text) field(name, value string) {
	if value != "" {
		t.row(fit(name, 10), strings.TrimRight(fit(value, 66), " "))
	}
}

// row writes cells, which have at most 76 columns together with the spaces between them.
func (t *text) row(cells ...string) {
	t.b.WriteString(strings.TrimRight("  "+strings.Join(cells, " "), " ") + "\n")
}

// paragraph writes text in lines that begin with an indent.
func (t *text) paragraph(indent, text string) {
	line := ""
	for _, word := range strings.Fields(clean(text)) {
		word = strings.TrimRight(fit(word, columns-len(indent)), " ")
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) <= columns-len(indent):
			line += " " + word
		default:
			fmt.Fprintln(&t.b, indent+line)
			line = word
		}
	}
	if line != "" {
		fmt.Fprintln(&t.b, indent+line)
	}
}

// fit shortens or pads text to a number of columns.
func fit(text string, n int) string {
	if cells(text) > n {
		used, end := 0, 0
		for at, r := range text {
			if used += runeCells(r); used > n-1 {
				end = at
				break
			}
		}
		text = text[:end] + "…"
	}
	return text + strings.Repeat(" ", n-cells(text))
}

// right aligns text to the right in a number of columns.
func right(text string, n int) string {
	text = strings.TrimRight(fit(text, n), " ")
	return strings.Repeat(" ", n-cells(text)) + text
}

// cells returns the number of columns that a terminal shows text in.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}
