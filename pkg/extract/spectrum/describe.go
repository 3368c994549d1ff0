package spectrum

import (
	"math"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// The names of properties.
const (
	DataType = "dataType"
	Curves   = "curves" // number of tables
	Points   = "points" // number of points in all curves
	XUnits   = "xUnits"
	YUnits   = "yUnits"
	MinX     = "minX" // MinX to MaxY are the extremes of all curves
	MaxX     = "maxX"
	MinY     = "minY"
	MaxY     = "maxY"
	Problem  = "problem" // inconsistencies in the file
)

func (s *Spectrum) describe(r *records.Record) {
	set := func(name string, value any) {
		r.Properties = append(r.Properties, records.Property{Name: name, Value: value})
	}
	if s.DataType != "" {
		set(DataType, s.DataType)
	}
	set(Curves, int64(len(s.Curves)))
	points := 0
	for _, c := range s.Curves {
		points += len(c.X)
	}
	set(Points, int64(points))
	if len(s.Curves) > 0 {
		if units := s.Curves[0].XUnits; units != "" {
			set(XUnits, units)
		}
		if units := s.Curves[0].YUnits; units != "" {
			set(YUnits, units)
		}
	}
	if low, high, found := s.bounds(s.Curves); found {
		set(MinX, low[0])
		set(MaxX, high[0])
		set(MinY, low[1])
		set(MaxY, high[1])
	} else {
		r.NotDetermined = append(r.NotDetermined, MinX, MaxX, MinY, MaxY)
	}
	if len(s.Problems) > 0 {
		set(Problem, strings.Join(s.Problems[:min(len(s.Problems), 5)], "; "))
	}
}

// bounds returns the minimum and the maximum x and y of the curves, or false if there are no points.
func (s *Spectrum) bounds(curves []Curve) (low, high [2]float64, found bool) {
	low, high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, c := range curves {
		for i := range c.X {
			if !finite(c.X[i]) || !finite(c.Y[i]) {
				continue
			}
			found = true
			low = [2]float64{min(low[0], c.X[i]), min(low[1], c.Y[i])}
			high = [2]float64{max(high[0], c.X[i]), max(high[1], c.Y[i])}
		}
	}
	return low, high, found
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
