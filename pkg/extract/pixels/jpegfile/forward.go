package jpegfile

// Constants of the forward transform: cosines and sines of 1, 3 and 6 parts of π/16, and √2, by which those of 6 parts are
// multiplied. Those for columns are multiplied by 1 << 18, those for rows by 1 << 14.
const (
	columnCos1, columnSin1 = 257107, 51142
	columnCos3, columnSin3 = 217965, 145639
	columnCos6, columnSin6 = 141871, 342508
	columnRoot             = 5793 // multiplied by 1 << 12
	rowCos1, rowSin1       = 16069, 3196
	rowCos3, rowSin3       = 13623, 9102
	rowCos6, rowSin6       = 8867, 21407
	rowRoot                = 23170
)

// rotate turns a vector.
func rotate(x, y, cos, sin int32) (int32, int32) {
	sum := cos * (x + y)
	return sum + (sin-cos)*y, sum - (cos+sin)*x
}

// forwardPortable calculates the coefficients of a block of samples, multiplied by 8, with the algorithm of Loeffler, Ligtenberg and
// Moschytz. It rounds as image/jpeg does: the columns have 18 fractional bits.
func forwardPortable(c *[64]int32, samples []byte, stride int) {
	s0, s1, s2, s3 := samples[:8], samples[stride:][:8], samples[2*stride:][:8], samples[3*stride:][:8]
	s4, s5, s6, s7 := samples[4*stride:][:8], samples[5*stride:][:8], samples[6*stride:][:8], samples[7*stride:][:8]
	for x := range 8 {
		a, b, d, e := int32(s0[x]), int32(s1[x]), int32(s2[x]), int32(s3[x])
		f, g, h, i := int32(s4[x]), int32(s5[x]), int32(s6[x]), int32(s7[x])
		a, i, b, h, d, g, e, f = a+i, a-i, b+h, b-h, d+g, d-g, e+f, e-f
		f, i = rotate(f, i, columnCos3, columnSin3)
		g, h = rotate(g, h, columnCos1, columnSin1)
		a, e, b, d = a+e, a-e, b+d, b-d
		d, e = rotate(d, e, columnCos6, columnSin6)
		c[x], c[32+x], c[16+x], c[48+x] = (a+b-8*128)<<18, (a-b)<<18, d, e
		f, h, i, g = f+h, f-h, i+g, i-g
		c[8+x], c[56+x] = i+f, i-f
		c[24+x], c[40+x] = g>>12*columnRoot, h>>12*columnRoot
	}
	round := func(v int32) int32 { return (v + 1<<17) >> 18 }
	for y := range 8 {
		r := (*[8]int32)(c[8*y:])
		a, b, d, e, f, g, h, i := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
		a, i, b, h, d, g, e, f = a+i, a-i, b+h, b-h, d+g, d-g, e+f, e-f
		f, i = rotate(f>>14, i>>14, rowCos3, rowSin3)
		g, h = rotate(g>>14, h>>14, rowCos1, rowSin1)
		a, e, b, d = a+e, a-e, b+d, b-d
		d, e = rotate(d>>14, e>>14, rowCos6, rowSin6)
		r[0], r[4], r[2], r[6] = round(a+b), round(a-b), round(d), round(e)
		f, h, i, g = f+h, f-h, i+g, i-g
		r[1], r[7] = round(i+f), round(i-f)
		r[3], r[5] = round(g>>14*rowRoot), round(h>>14*rowRoot)
	}
}
