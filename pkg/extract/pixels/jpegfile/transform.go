package jpegfile

// zigzag maps the order of coefficients in a file to rows (ITU-T T.81, figure 5).
var zigzag = [64]byte{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// Constants of the transform, multiplied by 1 << 13: Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT
// algorithms with 11 multiplications", ICASSP 1989, in the precision of libjpeg's slow integer transform.
const (
	f0298 = 2446
	f0390 = 3196
	f0541 = 4433
	f0765 = 6270
	f0899 = 7373
	f1175 = 9633
	f1501 = 12299
	f1847 = 15137
	f1961 = 16069
	f2053 = 16819
	f2562 = 20995
	f3072 = 25172
)

// inverse calculates eight values of one dimension from their coefficients, without the final division.
func inverse(c0, c1, c2, c3, c4, c5, c6, c7 int32) (v0, v1, v2, v3, v4, v5, v6, v7 int32) {
	z := (c2 + c6) * f0541
	even2, even3 := z-c6*f1847, z+c2*f0765
	even0, even1 := (c0+c4)<<13, (c0-c4)<<13
	sum0, sum3, sum1, sum2 := even0+even3, even0-even3, even1+even2, even1-even2

	z1, z2, z3, z4 := -(c7+c1)*f0899, -(c5+c3)*f2562, c7+c3, c5+c1
	z5 := (z3 + z4) * f1175
	z3, z4 = z5-z3*f1961, z5-z4*f0390
	c7, c5, c3, c1 = c7*f0298+z1+z3, c5*f2053+z2+z4, c3*f3072+z2+z3, c1*f1501+z1+z4
	return sum0 + c1, sum1 + c3, sum2 + c5, sum3 + c7, sum3 - c7, sum2 - c5, sum1 - c3, sum0 - c1
}

// reconstruct calculates the samples of a component of a progressive frame from its coefficients, which it releases.
func (c *component) reconstruct(precision int) {
	if c.quantization == nil || c.coefficients == nil { // no scan contains the component, or the frame is sequential
		return
	}
	var b [64]int32
	for at := range c.across * c.down {
		last := 0
		for i, v := range c.coefficients[64*at:][:64] {
			b[i] = int32(v) * int32(c.quantization[i])
			if v != 0 {
				last = i
			}
		}
		c.write(&b, at, last == 0, precision)
	}
	c.coefficients = nil
}

// write calculates the samples of the block with index at from its coefficients. If flat, only the first is not 0. Samples of
// 12 bits are reduced to 8.
func (c *component) write(b *[64]int32, at int, flat bool, precision int) {
	out := c.samples[(c.side*(at/c.across)*c.across+at%c.across)*c.side:]
	switch {
	case c.side < 8:
		c.small(b, out, precision)
	case flat:
		value := byte(min(max((int(b[0])+4)>>3+1<<(precision-1), 0), 1<<precision-1) >> (precision - 8))
		for y := range 8 {
			row := out[8*y*c.across:][:8]
			for x := range row {
				row[x] = value
			}
		}
	default:
		block(b, out, 8*c.across, precision)
	}
}

// blockPortable calculates the samples of a block from its coefficients, which it changes. Numbers have 32 bits, and sums of
// meaningless coefficients wrap around, so that results are the same on every processor.
func blockPortable(b *[64]int32, out []byte, stride, precision int) {
	const pass = 2 // fractional bits between the passes
	column := func(v int32) int32 { return (v + 1<<(12-pass)) >> (13 - pass) }
	for x := range 8 {
		c := (*[57]int32)(b[x:])
		v0, v1, v2, v3, v4, v5, v6, v7 := inverse(c[0], c[8], c[16], c[24], c[32], c[40], c[48], c[56])
		c[0], c[8], c[16], c[24] = column(v0), column(v1), column(v2), column(v3)
		c[32], c[40], c[48], c[56] = column(v4), column(v5), column(v6), column(v7)
	}
	limit, reduce := int32(1)<<precision-1, precision-8
	middle := int32(1)<<(precision-1+16+pass) + 1<<(15+pass)
	sample := func(v int32) byte { return byte(min(max((v+middle)>>(16+pass), 0), limit) >> reduce) }
	for y := range 8 {
		c, row := (*[8]int32)(b[8*y:]), out[y*stride:][:8]
		v0, v1, v2, v3, v4, v5, v6, v7 := inverse(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
		row[0], row[1], row[2], row[3] = sample(v0), sample(v1), sample(v2), sample(v3)
		row[4], row[5], row[6], row[7] = sample(v4), sample(v5), sample(v6), sample(v7)
	}
}
