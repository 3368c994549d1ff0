package icc

// matrix is a 3 × 3 matrix in rows.
type matrix [3][3]float64

func (m matrix) times(v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2]) // conversions prevent fused operations
	}
	return out
}

func (m matrix) multiply(o matrix) (out matrix) {
	for column := range 3 {
		v := m.times([3]float64{o[0][column], o[1][column], o[2][column]})
		out[0][column], out[1][column], out[2][column] = v[0], v[1], v[2]
	}
	return out
}

func (m matrix) inverse() (out matrix, ok bool) {
	cofactor := func(r, c int) float64 {
		a, b, d, e := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return float64(m[a][d]*m[b][e]) - float64(m[a][e]*m[b][d])
	}
	determinant := float64(m[0][0]*cofactor(0, 0)) + float64(m[0][1]*cofactor(0, 1)) + float64(m[0][2]*cofactor(0, 2))
	if determinant < 1e-9 && determinant > -1e-9 {
		return out, false
	}
	for r := range 3 {
		for c := range 3 {
			out[c][r] = cofactor(r, c) / determinant
		}
	}
	return out, true
}

// Primaries are the chromaticities of an RGB color space.
type Primaries struct{ Red, Green, Blue, White [2]float64 }

// SRGB returns the primaries of sRGB (IEC 61966-2-1).
func SRGB() Primaries {
	return Primaries{Red: [2]float64{0.64, 0.33}, Green: [2]float64{0.30, 0.60}, Blue: [2]float64{0.15, 0.06}, White: d65()}
}

func d65() [2]float64 { return [2]float64{0.3127, 0.3290} }

// d50 is the white of the profile connection space (ICC.1:2022, 7.2.16).
func d50() [3]float64 { return [3]float64{0.9642, 1, 0.8249} }

func xyz(c [2]float64) [3]float64 { return [3]float64{c[0] / c[1], 1, (1 - c[0] - c[1]) / c[1]} }

// matrix returns the matrix from linear RGB to XYZ under D50, adapted with the matrix of Bradford (ICC.1:2022, annex E).
func (p Primaries) matrix() (matrix, bool) {
	for _, c := range [][2]float64{p.Red, p.Green, p.Blue, p.White} {
		if c[1] < 1e-4 {
			return matrix{}, false
		}
	}
	r, g, b, white := xyz(p.Red), xyz(p.Green), xyz(p.Blue), xyz(p.White)
	m := matrix{{r[0], g[0], b[0]}, {r[1], g[1], b[1]}, {r[2], g[2], b[2]}}
	inverse, ok := m.inverse()
	if !ok {
		return m, false
	}
	scale := inverse.times(white)
	for row := range m {
		for column := range m {
			m[row][column] *= scale[column]
		}
	}
	bradford := matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	back, _ := bradford.inverse()
	from, to := bradford.times(white), bradford.times(d50())
	adapt := back.multiply(matrix{{to[0] / from[0]}, {0, to[1] / from[1]}, {0, 0, to[2] / from[2]}}.multiply(bradford))
	return adapt.multiply(m), true
}

// toSRGB returns the matrix from XYZ under D50 to linear sRGB.
func toSRGB() matrix {
	m, _ := SRGB().matrix()
	inverse, _ := m.inverse()
	return inverse
}
