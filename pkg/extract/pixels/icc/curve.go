package icc

import (
	"encoding/binary"
	"math"
)

// Curve maps a sample from 0 to 1 to a linear value.
type Curve func(float64) float64

// Gamma returns the curve of a power.
func Gamma(exponent float64) Curve {
	return func(v float64) float64 { return math.Pow(max(v, 0), exponent) }
}

// SRGBCurve is the curve of sRGB (IEC 61966-2-1).
func SRGBCurve(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// encode is the inverse of SRGBCurve.
func encode(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return float64(1.055*math.Pow(v, 1/2.4)) - 0.055
}

// parseCurve parses a curve (ICC.1:2022, 10.6 and 10.18). It returns the number of bytes read as well, or nil if the
// curve is damaged.
func parseCurve(b []byte) (Curve, int) {
	if len(b) < 12 {
		return nil, 0
	}
	switch string(b[:4]) {
	case "curv":
		n := int(binary.BigEndian.Uint32(b[8:]))
		if n < 0 || n > 1<<16 || len(b) < 12+2*n {
			return nil, 0
		}
		switch n {
		case 0:
			return func(v float64) float64 { return v }, 12
		case 1:
			return Gamma(float64(binary.BigEndian.Uint16(b[12:])) / 256), 14
		}
		table := make([]float64, n)
		for i := range table {
			table[i] = float64(binary.BigEndian.Uint16(b[12+2*i:])) / 65535
		}
		return tableCurve(table), 12 + 2*n
	case "para":
		kind := int(binary.BigEndian.Uint16(b[8:]))
		if kind > 4 {
			return nil, 0
		}
		count := []int{1, 3, 4, 5, 7}[kind]
		if len(b) < 12+4*count {
			return nil, 0
		}
		var p [7]float64
		for i := range count {
			p[i] = fixed(b[12+4*i:])
		}
		return parametric(kind, p), 12 + 4*count
	}
	return nil, 0
}

// fixed reads a number of the type s15Fixed16Number.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// unit limits a value to the range from 0 to 1. A value that is not a number becomes 0.
func unit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

func tableCurve(table []float64) Curve {
	last := len(table) - 1
	return func(v float64) float64 {
		at := float64(unit(v) * float64(last))
		low := min(int(at), max(last-1, 0))
		part := at - float64(low)
		return table[low] + float64(part*(table[min(low+1, last)]-table[low]))
	}
}

// parametric returns a curve of the type parametricCurveType (ICC.1:2022, table 68).
func parametric(kind int, p [7]float64) Curve {
	g, a, b, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	switch kind {
	case 0:
		return Gamma(g)
	case 1: // 0 below −b/a
		c, d, e, f = 0, -b/a, 0, 0
	case 2: // c below −b/a, and added above
		c, d, e, f = 0, -b/a, c, c
	}
	return func(v float64) float64 {
		if v >= d {
			return math.Pow(max(float64(a*v)+b, 0), g) + e
		}
		return float64(c*v) + f
	}
}
