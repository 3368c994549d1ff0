package spectrum

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// parser contains the labels of a block that describe the following tables.
type parser struct {
	spectrum *Spectrum
	values   map[string]string // by canonical label
	page     string
	budget   int // number of points that may still be read
}

// form is the form of a table: (X++(Y..Y)), (XY..XY) and the like.
type form struct {
	x, y     string // symbols
	stepped  bool   // X++
	width    int    // values per point, if not stepped
	further  string // symbols of values that are not read
	peaks    bool
	assigned bool // points in parentheses, with text
}

func (p *parser) item(it item) error {
	switch {
	case it.key == "PAGE":
		p.page = it.value
		return nil
	case it.key == "END", it.key == "ENDNTUPLES":
		return nil
	case isTable(it.key):
		head, rest, _ := strings.Cut(it.value, "\n")
		f, known := parseForm(head, it.key)
		if !known {
			p.problem("line %d: the table %.60s cannot be read", it.line, strings.TrimSpace(head))
			return nil
		}
		return p.table(it, f, rest)
	}
	p.values[it.key] = it.value
	if it.label != "" && it.key != "TITLE" {
		p.spectrum.Fields.Set(it.label, it.value)
	}
	return nil
}

// maxProblems is the maximum number of problems of a block that are kept.
const maxProblems = 20

func (p *parser) problem(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if all := p.spectrum.Problems; len(all) < maxProblems && !slices.Contains(all, text) {
		p.spectrum.Problems = append(p.spectrum.Problems, text)
	}
}

// parseForm parses the form of a table.
func parseForm(head, key string) (f form, known bool) {
	text := strings.ToUpper(strings.ReplaceAll(head, " ", ""))
	f.peaks = key == "PEAKTABLE" || key == "PEAKASSIGNMENTS" || strings.Contains(text, "PEAK")
	if open := strings.IndexByte(text, '('); open >= 0 {
		text = text[open+1:]
	}
	if symbol, rest, stepped := strings.Cut(text, "++("); stepped {
		y, _, ok := strings.Cut(rest, "..")
		return form{x: symbol, y: y, stepped: true, peaks: f.peaks}, ok && symbol != "" && y != ""
	}
	point, rest, repeated := strings.Cut(text, "..")
	if !repeated {
		point, _, _ = strings.Cut(text, ")")
		f.assigned = true
	} else if !strings.HasPrefix(rest, point) {
		return f, false
	}
	if len(point) < 2 || len(point) > 6 {
		return f, false
	}
	f.x, f.y, f.width = point[:1], point[1:2], len(point)
	if !f.assigned {
		f.further = strings.Trim(point[2:], "WM") // a width or a multiplicity belongs to a peak
	}
	return f, true
}

// variable describes the values of a symbol.
type variable struct {
	factor      float64
	first, last float64 // NaN if not stated
	units       string
	points      int // 0 if not stated
}

// place returns the index of a symbol in the lists of NTUPLES, or -1.
func (p *parser) place(symbol string) int {
	return slices.IndexFunc(list(p.values["SYMBOL"]), func(s string) bool { return strings.EqualFold(s, symbol) })
}

// units returns the units of a symbol of NTUPLES.
func (p *parser) units(symbol string) string {
	if i, all := p.place(symbol), list(p.values["UNITS"]); i >= 0 && i < len(all) {
		return all[i]
	}
	return ""
}

// variable returns the description of a symbol from NTUPLES or from the plain labels.
func (p *parser) variable(symbol string) variable {
	v := variable{factor: 1, first: math.NaN(), last: math.NaN()}
	place := p.place(symbol)
	read := func(plain, tuple string) (string, bool) {
		if place >= 0 {
			if all := list(p.values[tuple]); place < len(all) && all[place] != "" {
				return all[place], true
			}
			return "", false
		}
		value, found := p.values[plain]
		return strings.TrimSpace(value), found
	}
	number := func(plain, tuple string, into *float64) {
		text, found := read(plain, tuple)
		if text = strings.TrimSuffix(text, ","); !found || text == "" {
			return
		}
		if n, ok := label(text); ok {
			*into = n
		} else {
			if place >= 0 {
				plain = tuple
			}
			p.problem("##%s: %.40q is not a number", plain, text)
		}
	}
	number(symbol+"FACTOR", "FACTOR", &v.factor)
	number("FIRST"+symbol, "FIRST", &v.first)
	number("LAST"+symbol, "LAST", &v.last)
	points := 0.0
	number("NPOINTS", "VARDIM", &points)
	if points >= 1 && points <= MaxPoints {
		v.points = int(points)
	}
	v.units, _ = read(symbol+"UNITS", "UNITS")
	if v.factor == 0 {
		v.factor = 1
	}
	return v
}

// maxList is the maximum length in bytes of a list in NTUPLES.
const maxList = 4 << 10

// list splits a list in NTUPLES.
func list(value string) []string {
	if value == "" || len(value) > maxList {
		return nil
	}
	all := strings.Split(value, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// table reads the lines of a table.
func (p *parser) table(it item, f form, text string) error {
	if len(p.spectrum.Curves) >= MaxCurves {
		return fmt.Errorf("%w: line %d: there are more than %d tables", ErrNotSpectrum, it.line, MaxCurves)
	}
	x, y := p.variable(f.x), p.variable(f.y)
	symbol, _, _ := strings.Cut(p.page, "=")
	c := Curve{Page: p.page, PageUnits: p.units(strings.TrimSpace(symbol)), XUnits: x.units, YUnits: y.units, Symbols: f.x + "," + f.y, Peaks: f.peaks}
	if err := p.points(it, &c, f, x, y, text); err != nil {
		return err
	}
	p.budget -= len(c.X)
	if stated := x.points; stated > 0 && stated != len(c.X) {
		p.problem("line %d: %d points are stated, but there are %d", it.line, stated, len(c.X))
	}
	if f.further != "" {
		p.problem("line %d: the values of %s are not read", it.line, f.further)
	}
	p.spectrum.Curves = append(p.spectrum.Curves, c)
	return nil
}

// stepped reads a table of the form X++(Y..Y).
func (p *parser) stepped(it item, c *Curve, x, y variable, text string) error {
	o := &ordinates{limit: p.budget}
	var start, end float64 // abscissas of the first and the last line
	before, lines := 0, 0  // points before the last line
	n := it.line
	for line := range strings.Lines(text) {
		n++
		had := len(o.values)
		at, ok, err := o.line(strings.TrimRight(line, "\n"))
		if err != nil {
			return fmt.Errorf("%w: line %d: %w", ErrNotSpectrum, n, err)
		}
		if !ok {
			continue
		}
		if lines == 0 {
			start = at
		}
		end, before = at, had
		lines++
	}
	if o.checks > 0 {
		p.problem("line %d: %d check values differ from the previous line", it.line, o.checks)
	}
	points := len(o.values)
	first := x.first
	if math.IsNaN(first) {
		first = start * x.factor
	}
	step := 0.0
	switch deltaX, stated := label(strings.TrimSpace(p.values["DELTAX"])); {
	case !math.IsNaN(x.last) && x.points > 1:
		step = (x.last - first) / float64(x.points-1)
	case stated:
		step = deltaX
	case !math.IsNaN(x.last) && points > 1:
		step = (x.last - first) / float64(points-1)
	case before > 0:
		step = (end - start) * x.factor / float64(before)
	}
	c.X, c.Y = make([]float64, points), o.values
	for i := range c.X {
		c.X[i] = first + float64(i)*step
		c.Y[i] *= y.factor
	}
	return nil
}

// pairs reads a table of the form (XY..XY) or a similar one, or points in parentheses.
func (p *parser) pairs(it item, c *Curve, f form, x, y variable, text string) error {
	var values []float64
	n := it.line
	add := func() {
		if len(values) >= 2 {
			c.X = append(c.X, values[0]*x.factor)
			c.Y = append(c.Y, values[1]*y.factor)
		}
		values = values[:0]
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if f.assigned { // (x, y, <text>)
			line = strings.TrimSpace(line)
			line, _, _ = strings.Cut(strings.TrimPrefix(line, "("), "<")
			line = strings.TrimRight(line, ") ,")
		}
		for at := skip(line, 0); at < len(line); at = skip(line, at) {
			if line[at] == '?' {
				values = append(values, math.NaN())
				at++
			} else {
				v, next, err := affnPair(line, at)
				if err != nil && f.assigned {
					break // letters of a multiplicity
				}
				if err != nil {
					return fmt.Errorf("%w: line %d: %w", ErrNotSpectrum, n, err)
				}
				values, at = append(values, v), next
			}
			if !f.assigned && len(values) == f.width {
				add()
			}
			if len(c.X) > p.budget {
				return fmt.Errorf("%w: line %d: there are more than %d points", ErrNotSpectrum, n, MaxPoints)
			}
		}
		if f.assigned {
			add()
		}
	}
	if len(values) > 0 {
		p.problem("line %d: the last point is incomplete", n)
	}
	return nil
}
