package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/axis"
)

// The size of a plot and the margins around its area, in units of the drawing. Text is larger on phones, which show plots
// smaller; margins have room for it.
const (
	plotWidth, plotHeight = 480.0, 350.0
	marginTop, marginSide = 34.0, 14.0
	marginBottom          = 54.0
	glyph                 = 8.4 // the width of a digit in large text
)

// A scale maps values to positions.
type scale struct {
	low, high float64
	from, to  float64
	ticks     []float64
}

// scaleOf returns a scale for values from low to high, with a margin around them. It reports whether the range is finite.
func scaleOf(low, high float64) (scale, bool) {
	pad := float64(0.04 * (high - low))
	if low == high {
		pad = float64(0.5*math.Abs(low)) + 0.5
	}
	return fixedScale(low-pad, high+pad)
}

// fixedScale returns a scale from low to high.
func fixedScale(low, high float64) (scale, bool) {
	s := scale{low: low, high: high, ticks: axis.Ticks(low, high, 8)}
	return s, len(s.ticks) > 1
}

// at returns the position of a value, which is on the scale or at its nearer end. The products are rounded before they are
// added, so that all architectures give the same digits.
func (s scale) at(v float64) float64 {
	part := (min(max(v, s.low), s.high) - s.low) / (s.high - s.low)
	return s.from + float64(part*(s.to-s.from))
}

// labels returns the texts of the ticks, with the same number of decimal places.
func (s scale) labels() []string {
	step := s.ticks[1] - s.ticks[0]
	places := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	all := make([]string, len(s.ticks))
	for i, tick := range s.ticks {
		if largest := max(math.Abs(s.low), math.Abs(s.high)); largest >= 1e6 || largest < 1e-3 {
			all[i] = typeset(exact(tick))
			continue
		}
		if math.Abs(tick) < float64(step*1e-9) {
			tick = 0
		}
		all[i] = typeset(strconv.FormatFloat(tick, 'f', places, 64))
	}
	return all
}

// A plot is a drawing with two axes.
type plot struct {
	b    bytes.Buffer
	x, y scale
}

// newPlot begins a drawing with axes. The id is unique on the page; title and desc are for screen readers.
func newPlot(id, title, desc, xName, yName string, x, y scale) *plot {
	p := &plot{x: x, y: y}
	names, widest := p.y.labels(), 3
	for _, name := range names {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	p.x.from, p.x.to = float64(glyph*float64(widest))+14, plotWidth-marginSide
	p.y.from, p.y.to = plotHeight-marginBottom, marginTop
	fmt.Fprintf(&p.b, `<svg class="plot" viewBox="0 0 %.0f %.0f" role="img" aria-labelledby="%s-title %s-desc"><title id="%s-title">%s</title><desc id="%s-desc">%s</desc>`+"\n",
		plotWidth, plotHeight, id, id, id, html.EscapeString(title), id, html.EscapeString(desc))
	p.b.WriteString(`<path class="grid" d="`)
	for _, tick := range p.y.ticks {
		fmt.Fprintf(&p.b, "M%.1f %.1fH%.1f", p.x.from, p.y.at(tick), p.x.to)
	}
	p.b.WriteString(`"/>` + "\n")
	fmt.Fprintf(&p.b, `<path class="axis" d="M%.1f %.1fH%.1f`, p.x.from, p.y.from, p.x.to)
	for _, tick := range p.x.ticks {
		fmt.Fprintf(&p.b, "M%.1f %.1fv5", p.x.at(tick), p.y.from)
	}
	p.b.WriteString(`"/>` + "\n")
	for i, name := range p.x.labels() {
		p.text("tick", "middle", p.x.at(p.x.ticks[i]), p.y.from+21, name)
	}
	for i, name := range names {
		p.text("tick", "end", p.x.from-7, p.y.at(p.y.ticks[i])+4.5, name)
	}
	p.text("name", "middle", (p.x.from+p.x.to)/2, plotHeight-8, shortenTo(xName, 44))
	p.text("name", "start", 2, 15, shortenTo(yName, 44))
	return p
}

func (p *plot) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&p.b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, anchor, x, y, html.EscapeString(text))
}

// line draws a line through points given as values of x and y in turn.
func (p *plot) line(class string, values ...float64) {
	fmt.Fprintf(&p.b, `<path class="%s" d="`, class)
	command := byte('M')
	for i := 0; i+1 < len(values); i += 2 {
		fmt.Fprintf(&p.b, "%c%.1f %.1f", command, p.x.at(values[i]), p.y.at(values[i+1]))
		command = 'L'
	}
	p.b.WriteString(`"/>` + "\n")
}

// diagonal draws the line y = x + offset, where it is inside of both scales.
func (p *plot) diagonal(class string, offset float64) {
	from, to := max(p.x.low, p.y.low-offset), min(p.x.high, p.y.high-offset)
	if from < to {
		p.line(class, from, from+offset, to, to+offset)
	}
}

func (p *plot) dot(x, y, radius float64) {
	fmt.Fprintf(&p.b, `<circle cx="%.1f" cy="%.1f" r="%.1f"/>`+"\n", p.x.at(x), p.y.at(y), radius)
}

// done ends the drawing. All texts in it are escaped.
func (p *plot) done() string {
	p.b.WriteString("</svg>")
	return p.b.String()
}
