package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed page.css
var pageStyle string

// page is what the page shows: the report and what is derived from it.
type page struct {
	Report
	Comparison  string
	Kind        string
	Validation  string
	Metric      string
	Tiles       []tile
	Charts      []chart
	Learning    chart
	Ranges      []string // of the candidates, as SVG
	Matrix      []matrixRow
	MostShare   float64 // the share of the most important feature
	Linear      bool    // coefficients are shown
	Facts       []fact
	Reliability []string
}

type tile struct{ Name, Value, Note string }

type fact struct{ Name, Value string }

type matrixRow struct {
	Class           string
	Negative, Count int // predicted as the first class, and as the second
}

// Page writes the report as a self-contained HTML page, which needs neither scripts nor other files. A Content-Security-Policy
// needs to allow inline styles only.
func Page(w io.Writer, r Report) error {
	r.Complete()
	p := page{
		Report: r, Comparison: r.Verdict.comparison(), Kind: r.kind(), Validation: r.Split.sentence(), Metric: r.Verdict.Metric.heading(), Tiles: r.tiles(),
		Learning: r.learning(), Ranges: r.ranges(), Facts: r.facts(), Reliability: r.reliability(),
	}
	for _, c := range []chart{r.predicted(), r.residuals(), r.roc(), r.calibration()} {
		if c.Drawing != "" {
			p.Charts = append(p.Charts, c)
		}
	}
	if c := r.Classification; c != nil && len(r.Classes) == 2 {
		n := c.Confusion
		p.Matrix = []matrixRow{{r.Classes[0], n.TrueNegatives, n.FalsePositives}, {r.Classes[1], n.FalseNegatives, n.TruePositives}}
	}
	for _, i := range r.Importance {
		p.MostShare = max(p.MostShare, i.Share)
		p.Linear = p.Linear || i.Coefficient != nil
	}
	var b bytes.Buffer
	if err := p.document().Render(&b); err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// ranges draws the scores of the candidates with their standard errors, on a common scale.
func (r Report) ranges() []string {
	all := make([]string, len(r.Candidates))
	var values []float64
	for _, c := range r.Candidates {
		if c.Score != nil {
			e := value(c.StandardError)
			values = append(values, *c.Score-e, *c.Score+e)
		}
	}
	if len(values) == 0 {
		return all
	}
	if base := r.Verdict.Baseline; base != nil {
		values = append(values, *base)
	}
	s, drawn := scaleOf(slices.Min(values), slices.Max(values))
	if !drawn {
		return all
	}
	s.from, s.to = 6, 234
	for i, c := range r.Candidates {
		if c.Score == nil {
			continue
		}
		var b strings.Builder
		b.WriteString(`<svg class="range" viewBox="0 0 240 16" width="240" height="16" aria-hidden="true">`)
		if base := r.Verdict.Baseline; base != nil {
			fmt.Fprintf(&b, `<path class="reference" d="M%.1f 0v16"/>`, s.at(*base))
		}
		e := value(c.StandardError)
		fmt.Fprintf(&b, `<path class="error" d="M%.1f 8H%.1f"/><circle cx="%.1f" cy="8" r="4"/></svg>`, s.at(*c.Score-e), s.at(*c.Score+e), s.at(*c.Score))
		all[i] = b.String()
	}
	return all
}
