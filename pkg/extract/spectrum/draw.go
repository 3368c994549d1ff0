package spectrum

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/axis"
)

// ErrNotDrawn means that a spectrum has no points.
var ErrNotDrawn = errors.New("the spectrum has no points")

// The size of a drawing and of its plot area.
const (
	width, height = 800.0, 400.0
	left, right   = 70.0, 15.0
	top, bottom   = 20.0, 50.0
	maxDrawn      = 20 // curves
)

// SVG draws the curves with axes. The x axis of infrared and NMR spectra is reversed, as is customary. More than 20 curves
// are an intensity map if their pages have values, and the peaks of all pages are drawn; otherwise the first 20 are drawn. It
// returns ErrNotDrawn if there are no points.
func (s *Spectrum) SVG() ([]byte, error) {
	kind := strings.ToUpper(s.DataType)
	v := view{falling: strings.Contains(kind, "INFRARED") || strings.Contains(kind, "NMR") && !strings.Contains(kind, "FID")}
	if rows := s.rows(); len(rows) > maxDrawn {
		return v.intensities(rows)
	}
	peaks := len(s.Curves) > 0
	for _, c := range s.Curves {
		peaks = peaks && c.Peaks
	}
	curves := s.Curves
	if !peaks {
		curves = curves[:min(len(curves), maxDrawn)]
	}
	low, high, found := s.bounds(curves)
	if !found {
		return nil, ErrNotDrawn
	}
	if peaks { // peaks start at zero
		low[1], high[1] = min(low[1], 0), max(high[1], 0)
	}
	if !v.span(low, high) {
		return nil, ErrNotDrawn
	}
	var b bytes.Buffer
	begin(&b)
	v.axes(&b, curves[0].XUnits, curves[0].YUnits)
	if n := len(s.Curves); len(curves) < n {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end">the first %d of %d curves</text>`+"\n", width-right, top-6, len(curves), n)
	}
	if peaks && len(curves) > maxDrawn {
		curves = []Curve{v.highest(curves)}
	}
	for i, c := range curves {
		color := [...]string{"#1f45c8", "#c62020", "#1c7c2c", "#9a7400", "#5f2a8f"}[i%5]
		fmt.Fprintf(&b, `<path stroke="%s" stroke-linejoin="round" d="`, color)
		if c.Peaks {
			v.peaks(&b, c)
		} else {
			v.curve(&b, c)
		}
		b.WriteString("\"/>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

func begin(b *bytes.Buffer) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" fill="none" stroke="#222" font-family="Helvetica,Arial,sans-serif" font-size="12">`+
		"\n<style>text{fill:#222;stroke:none}</style>\n", width, height, width, height)
}

// span sets the range of the axes, and reports whether it is finite.
func (v *view) span(low, high [2]float64) bool {
	for i := range low {
		if high[i]-low[i] <= 0 || !finite(high[i]-low[i]) {
			low[i], high[i] = low[i]-0.5*math.Abs(low[i])-0.5, high[i]+0.5*math.Abs(high[i])+0.5
		}
		if !finite(high[i] - low[i]) {
			return false
		}
	}
	v.low, v.high = low, high
	return true
}

// highest returns the peak of the greatest magnitude of all curves at each tenth of a position of the drawing.
func (v view) highest(curves []Curve) Curve {
	const steps = 10 * int(width)
	all := Curve{Peaks: true}
	var place [steps]int // in all, plus one
	for _, c := range curves {
		for i := range c.X {
			if !finite(c.X[i]) || !finite(c.Y[i]) {
				continue
			}
			at := &place[min(max(int(10*v.x(c.X[i])), 0), steps-1)]
			if *at == 0 {
				all.X, all.Y = append(all.X, c.X[i]), append(all.Y, c.Y[i])
				*at = len(all.X)
			} else if math.Abs(c.Y[i]) > math.Abs(all.Y[*at-1]) {
				all.X[*at-1], all.Y[*at-1] = c.X[i], c.Y[i]
			}
		}
	}
	return all
}

// A view maps values to positions.
type view struct {
	low, high [2]float64
	falling   bool // the x axis
	inverted  bool // the y axis
}

func (v view) x(value float64) float64 {
	part := (value - v.low[0]) / (v.high[0] - v.low[0])
	if v.falling {
		part = 1 - part
	}
	return left + part*(width-left-right)
}

func (v view) y(value float64) float64 {
	part := (value - v.low[1]) / (v.high[1] - v.low[1])
	if v.inverted {
		part = 1 - part
	}
	return height - bottom - part*(height-top-bottom)
}

func (v view) peaks(b *bytes.Buffer, c Curve) {
	base := v.y(max(v.low[1], min(0, v.high[1])))
	for i := range c.X {
		if finite(c.X[i]) && finite(c.Y[i]) {
			fmt.Fprintf(b, "M%.1f %.1fV%.1f", v.x(c.X[i]), base, v.y(c.Y[i]))
			if i >= 20_000 {
				return
			}
		}
	}
}

// curve draws the minimum and the maximum ordinate of each column of the drawing, in the order of the points.
func (v view) curve(b *bytes.Buffer, c Curve) {
	move := true
	point := func(i int) {
		command := byte('L')
		if move {
			command = 'M'
		}
		move = false
		fmt.Fprintf(b, "%c%.1f %.1f", command, v.x(c.X[i]), v.y(c.Y[i]))
	}
	for i := 0; i < len(c.X); {
		if !finite(c.X[i]) || !finite(c.Y[i]) {
			move = true
			i++
			continue
		}
		column, lowest, highest, last := math.Floor(v.x(c.X[i])), i, i, i
		for i < len(c.X) && finite(c.X[i]) && finite(c.Y[i]) && math.Floor(v.x(c.X[i])) == column {
			if c.Y[i] < c.Y[lowest] {
				lowest = i
			}
			if c.Y[i] > c.Y[highest] {
				highest = i
			}
			last = i
			i++
		}
		first, second := min(lowest, highest), max(lowest, highest)
		point(first)
		if second != first {
			point(second)
		}
		if last != second {
			point(last)
		}
	}
}

func (v view) axes(b *bytes.Buffer, xUnits, yUnits string) {
	fmt.Fprintf(b, `<path d="M%.0f %.0fV%.0fH%.0f"/>`+"\n", left, top, height-bottom, width-right)
	for _, tick := range axis.Ticks(v.low[0], v.high[0], 8) {
		fmt.Fprintf(b, `<path d="M%.1f %.1fv5"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", v.x(tick), height-bottom, v.x(tick), height-bottom+18, number(tick))
	}
	for _, tick := range axis.Ticks(v.low[1], v.high[1], 5) {
		fmt.Fprintf(b, `<path d="M%.1f %.1fh-5"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n", left, v.y(tick), left-8, v.y(tick)+4, number(tick))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", left+(width-left-right)/2, height-8, html.EscapeString(short(xUnits)))
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="start">%s</text>`+"\n", 4.0, top-6, html.EscapeString(short(yUnits)))
}

func short(text string) string {
	if runes := []rune(strings.ToValidUTF8(text, "")); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, text)
}

func number(v float64) string {
	return strconv.FormatFloat(v, 'g', 6, 64)
}
