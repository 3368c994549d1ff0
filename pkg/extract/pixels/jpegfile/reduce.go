package jpegfile

// reduce divides the sizes of the frame by 2, 4 or 8.
func (f *Frame) reduce(divisor int) {
	f.Width, f.Height = ceil(f.Width, divisor), ceil(f.Height, divisor)
	for _, c := range f.components {
		c.width, c.height = ceil(c.width, divisor), ceil(c.height, divisor)
	}
}

// stride returns the number of samples from a row to the next one.
func (c *component) stride() int { return c.side * c.across }

// Factors of the transforms of 2 and 4 values, multiplied by 1 << 12: half the cosines of π/4, π/8 and 3π/8. With the
// lowest coefficients of 8 values, the transforms calculate the means of neighboring samples, without the frequencies
// that those cannot represent.
const (
	half4  = 1448
	half8  = 1892
	half38 = 784
)

func inverse4(c0, c1, c2, c3 int) (v0, v1, v2, v3 int) {
	even, odd := half4*(c0+c2), half4*(c0-c2)
	outer, inner := half8*c1+half38*c3, half38*c1-half8*c3
	return even + outer, odd + inner, odd - inner, even - outer
}

// small calculates the samples of a reduced block from its lowest coefficients.
func (c *component) small(b *[64]int32, out []byte, precision int) {
	stride := c.stride()
	middle, limit, reduce := 1<<(precision-1), 1<<precision-1, precision-8
	sample := func(v int) byte { return byte(min(max((v+1<<23)>>24+middle, 0), limit) >> reduce) }
	at := func(i int) int { return int(b[i]) }
	switch c.side {
	case 1:
		out[0] = sample(at(0) << 21)
	case 2:
		left, right := half4*(at(0)+at(8)), half4*(at(1)+at(9))
		out[0], out[1] = sample(half4*(left+right)), sample(half4*(left-right))
		left, right = half4*(at(0)-at(8)), half4*(at(1)-at(9))
		out[stride], out[stride+1] = sample(half4*(left+right)), sample(half4*(left-right))
	case 4:
		var rows [4][4]int
		for x := range 4 {
			rows[0][x], rows[1][x], rows[2][x], rows[3][x] = inverse4(at(x), at(8+x), at(16+x), at(24+x))
		}
		for y := range rows {
			r := &rows[y]
			v0, v1, v2, v3 := inverse4(r[0], r[1], r[2], r[3])
			to := out[y*stride:][:4]
			to[0], to[1], to[2], to[3] = sample(v0), sample(v1), sample(v2), sample(v3)
		}
	}
}
