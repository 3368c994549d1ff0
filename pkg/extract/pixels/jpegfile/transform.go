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

// inverse calculates eight values of one dimension from the coefficients c, without the final division.
func inverse(c *[8]int) (out [8]int) {
	z := (c[2] + c[6]) * f0541
	even2, even3 := z-c[6]*f1847, z+c[2]*f0765
	even0, even1 := (c[0]+c[4])<<13, (c[0]-c[4])<<13
	sum0, sum3, sum1, sum2 := even0+even3, even0-even3, even1+even2, even1-even2

	a, b, d, e := c[7], c[5], c[3], c[1]
	z1, z2, z3, z4 := -(a+e)*f0899, -(b+d)*f2562, a+d, b+e
	z5 := (z3 + z4) * f1175
	z3, z4 = z5-z3*f1961, z5-z4*f0390
	a, b, d, e = a*f0298+z1+z3, b*f2053+z2+z4, d*f3072+z2+z3, e*f1501+z1+z4
	return [8]int{sum0 + e, sum1 + d, sum2 + b, sum3 + a, sum3 - a, sum2 - b, sum1 - d, sum0 - e}
}

// reconstruct calculates the samples of a component from its coefficients, which it releases. Samples of 12 bits are
// reduced to 8.
func (c *component) reconstruct(precision int) {
	c.samples = make([]byte, c.side*c.side*c.across*c.down)
	if c.quantization == nil {
		c.quantization = new([64]uint16) // no scan contains the component
	}
	for y := range c.down {
		for x := range c.across {
			b := c.coefficients[64*(y*c.across+x):][:64]
			if out := c.samples[(c.side*y*c.across+x)*c.side:]; c.side < 8 {
				c.small(b, out, precision)
			} else {
				c.block(b, out, precision)
			}
		}
	}
	c.coefficients = nil
}

func (c *component) block(b []int16, out []byte, precision int) {
	const pass = 2 // fractional bits between the passes
	var columns [64]int
	for x := range 8 {
		var in [8]int
		for y := range in {
			in[y] = int(b[8*y+x]) * int(c.quantization[8*y+x])
		}
		for y, value := range inverse(&in) {
			columns[8*y+x] = (value + 1<<(12-pass)) >> (13 - pass)
		}
	}
	middle, limit, reduce := 1<<(precision-1), 1<<precision-1, precision-8
	for y := range 8 {
		row := out[8*y*c.across:][:8]
		for x, value := range inverse((*[8]int)(columns[8*y:])) {
			row[x] = byte(min(max((value+1<<(15+pass))>>(16+pass)+middle, 0), limit) >> reduce)
		}
	}
}
