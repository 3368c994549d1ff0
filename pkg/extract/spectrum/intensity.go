package spectrum

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The cells of an intensity map.
const (
	mapColumns = 200
	mapRows    = 110
	mapLevels  = 6 // of each sign
)

// A row is a curve at a value of the second axis.
type row struct {
	at float64
	Curve
}

// rows returns the curves of a spectrum of two dimensions, one for each value of their pages, such as F1=7.5; of real and
// imaginary parts, only the real ones. It returns nil for other spectra.
func (s *Spectrum) rows() (all []row) {
	seen := map[float64]bool{}
	for _, c := range s.Curves {
		_, value, _ := strings.Cut(c.Page, "=")
		at, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !finite(at) || c.Peaks {
			return nil
		}
		if !seen[at] {
			seen[at] = true
			all = append(all, row{at, c})
		}
	}
	return all
}

// intensities draws rows as a map: the more intense, the darker, positive in blue and negative in red.
func (v view) intensities(rows []row) ([]byte, error) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, r := range rows {
		low[1], high[1] = min(low[1], r.at), max(high[1], r.at)
		for _, x := range r.X {
			if finite(x) {
				low[0], high[0] = min(low[0], x), max(high[0], x)
			}
		}
	}
	v.inverted = v.falling
	if !finite(low[0]) || !v.span(low, high) {
		return nil, ErrNotDrawn
	}
	var cells [mapRows][mapColumns]float64
	for _, r := range rows {
		line := &cells[cell(v.y(r.at), top, height-bottom, mapRows)]
		for i := range r.X {
			if !finite(r.X[i]) || !finite(r.Y[i]) {
				continue
			}
			if at := &line[cell(v.x(r.X[i]), left, width-right, mapColumns)]; math.Abs(r.Y[i]) > math.Abs(*at) {
				*at = r.Y[i]
			}
		}
	}
	var b bytes.Buffer
	begin(&b)
	symbol, _, _ := strings.Cut(rows[0].Page, "=")
	v.axes(&b, rows[0].XUnits, strings.TrimSpace(symbol+" "+rows[0].PageUnits))
	drawCells(&b, &cells)
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// cell returns the cell of a position between two others.
func cell(at, from, to float64, cells int) int {
	return min(max(int((at-from)/(to-from)*float64(cells)), 0), cells-1)
}

// drawCells draws runs of cells of one level. The levels are at equal ratios of intensities, from the maximum down to a
// thousandth of it, or to three times the median if that is more.
func drawCells(b *bytes.Buffer, cells *[mapRows][mapColumns]float64) {
	var sizes []float64
	for i := range cells {
		for _, v := range cells[i] {
			sizes = append(sizes, math.Abs(v))
		}
	}
	slices.Sort(sizes)
	highest := sizes[len(sizes)-1]
	lowest := max(highest/1000, min(3*sizes[len(sizes)/2], highest/4))
	level := func(v float64) int { // from 1, negative for negative values, 0 if not drawn
		size := math.Abs(v)
		if size < lowest || size == 0 {
			return 0
		}
		n := 1 + int(float64(mapLevels)*math.Log(size/lowest)/math.Log(highest/lowest))
		return int(math.Copysign(float64(min(n, mapLevels)), v))
	}
	const stepX, stepY = (width - left - right) / mapColumns, (height - top - bottom) / mapRows
	for n := -mapLevels; n <= mapLevels; n++ {
		if n == 0 {
			continue
		}
		color := "#1f45c8"
		if n < 0 {
			color = "#c62020"
		}
		var path bytes.Buffer
		for i := range cells {
			for j := 0; j < mapColumns; j++ {
				from := j
				for j < mapColumns && level(cells[i][j]) == n {
					j++
				}
				if j > from {
					fmt.Fprintf(&path, "M%.1f %.1fH%.1f", left+float64(from)*stepX, top+(float64(i)+0.5)*stepY, left+float64(j)*stepX)
				}
			}
		}
		if path.Len() > 0 {
			fmt.Fprintf(b, `<path stroke="%s" stroke-opacity="%.2f" stroke-width="%.2f" d="%s"/>`+"\n", color, math.Abs(float64(n))/mapLevels, stepY, path.Bytes())
		}
	}
}
