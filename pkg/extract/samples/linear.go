package samples

import (
	"image/color"
	"math"
)

// Linear reports whether the samples are floating-point RGB without a profile, which by convention is linear light with
// the primaries of sRGB, and is converted to sRGB.
func (c *Colors) Linear() bool {
	return c.plane.format == formatFloat && c.photometric == photometricRGB && c.Profile == nil
}

// encoded returns a function that returns floating-point sample i of a row, of linear light from 0 to 1, in sRGB.
func (c *Colors) encoded() func(row []byte, i int) int {
	const steps = 1 << 16
	table := make([]byte, steps+1)
	for i := range table {
		table[i] = encode(float64(i) / steps)
	}
	width := c.plane.bits / 8
	return func(row []byte, i int) int {
		v := c.plane.value(row[i*width:])
		if !(v > 0) { // also NaN
			return 0
		}
		return int(table[int(min(v, 1)*steps+0.5)])
	}
}

// encode returns a linear value in sRGB (IEC 61966-2-1).
func encode(v float64) byte {
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return byte(v*255 + 0.5)
}

// luma converts Y'CbCr with the weights of the file (TIFF 6.0, section 21).
func (c *Colors) luma(y, cb, cr byte) (red, green, blue byte) {
	if c.weights == [3]float64{} {
		return color.YCbCrToRGB(y, cb, cr)
	}
	r := float64(y) + 2*(1-c.weights[0])*(float64(cr)-128)
	b := float64(y) + 2*(1-c.weights[2])*(float64(cb)-128)
	g := (float64(y) - c.weights[0]*r - c.weights[2]*b) / c.weights[1]
	whole := func(v float64) byte { return byte(min(max(v, 0), 255) + 0.5) }
	return whole(r), whole(g), whole(b)
}
