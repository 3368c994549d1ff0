package pixels

import "image"

// Sharpen applies an unsharp mask: it adds percent of the difference between the brightness and the
// brightness blurred by the binomial filter 1 4 6 4 1 (a standard deviation of 1 pixel). Colors do not
// change. Differences below 3 are treated as noise and ignored.
func (p *Picture) Sharpen(percent int) {
	const threshold = 3
	m := p.NRGBA()
	sharp := p.Luma()
	soft := binomial(sharp)
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		a, b := sharp.Pix[y*sharp.Stride:][:m.Rect.Dx()], soft.Pix[y*soft.Stride:][:m.Rect.Dx()]
		for x := range a {
			d := int32(a[x]) - int32(b[x])
			if d < threshold && d > -threshold {
				continue
			}
			d = d * int32(percent) / 100
			px := row[4*x : 4*x+4 : 4*x+4]
			px[0], px[1], px[2] = clamp(int32(px[0])+d), clamp(int32(px[1])+d), clamp(int32(px[2])+d)
		}
	}
}

// binomial blurs a plane with the filter 1 4 6 4 1 along rows and columns.
func binomial(m *image.Gray) *image.Gray {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewGray(m.Rect)
	column := make([]uint16, width+4) // sums of 5 rows, with two extra entries at each end
	row := func(y int) []byte { return m.Pix[min(max(y, 0), height-1)*m.Stride:][:width] }
	for y := range height {
		r0, r1, r2, r3, r4 := row(y-2), row(y-1), row(y), row(y+1), row(y+2)
		inner := column[2 : 2+width]
		for x := range inner {
			inner[x] = uint16(r0[x]) + uint16(r4[x]) + 4*(uint16(r1[x])+uint16(r3[x])) + 6*uint16(r2[x])
		}
		column[0], column[1] = inner[0], inner[0]
		column[width+2], column[width+3] = inner[width-1], inner[width-1]
		to := out.Pix[y*out.Stride:][:width]
		for x := range to {
			c := column[x : x+5 : x+5]
			sum := uint32(c[0]) + uint32(c[4]) + 4*(uint32(c[1])+uint32(c[3])) + 6*uint32(c[2])
			to[x] = byte((sum + 128) >> 8)
		}
	}
	return out
}

// Blur applies a box filter of 2*radius+1 pixels three times, which approximates a Gaussian (Wells,
// 1986). It does nothing for a radius below 1.
func (p *Picture) Blur(radius int) {
	if radius < 1 {
		return
	}
	m := p.NRGBA()
	if p.alpha {
		m = premultiplied(m)
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	line := make([]byte, max(width, height)*4)
	for range 3 {
		for y := range height {
			box(m.Pix[y*m.Stride:], 4, width, radius, line)
		}
		for x := range width {
			box(m.Pix[4*x:], m.Stride, height, radius, line)
		}
	}
	if p.alpha {
		divideByAlpha(m)
		p.pixels = m
	}
}

// box averages a line of n pixels, step bytes apart. It extends the line by repeating the first and
// last pixels. line is scratch space.
func box(pix []byte, step, n, radius int, line []byte) {
	for i := range n {
		copy(line[4*i:4*i+4], pix[i*step:])
	}
	window := uint32(2*radius + 1)
	at := func(i int) []byte { i = min(max(i, 0), n-1); return line[4*i : 4*i+4 : 4*i+4] }
	var sum [4]uint32
	for i := -radius; i <= radius; i++ {
		px := at(i)
		for c := range sum {
			sum[c] += uint32(px[c])
		}
	}
	for i := range n {
		to, next, last := pix[i*step:i*step+4:i*step+4], at(i+radius+1), at(i-radius)
		for c := range sum {
			to[c] = byte((sum[c] + window/2) / window)
			sum[c] += uint32(next[c]) - uint32(last[c])
		}
	}
}

// Median replaces each channel with the median of its 3 × 3 neighborhood, which removes outliers and
// preserves edges.
func (p *Picture) Median() {
	m := p.NRGBA()
	out := image.NewNRGBA(m.Rect)
	width, height := m.Rect.Dx(), m.Rect.Dy()
	row := func(y int) []byte { return m.Pix[min(max(y, 0), height-1)*m.Stride:][:4*width] }
	for y := range height {
		rows := [3][]byte{row(y - 1), row(y), row(y + 1)}
		to := out.Pix[y*out.Stride:][:4*width]
		for x := range width {
			left, right := 4*max(x-1, 0), 4*min(x+1, width-1)
			for c := range 3 {
				var v [9]byte
				for i, r := range rows {
					v[3*i], v[3*i+1], v[3*i+2] = r[left+c], r[4*x+c], r[right+c]
				}
				to[4*x+c] = median9(&v)
			}
			to[4*x+3] = rows[1][4*x+3]
		}
	}
	p.pixels = out
}

// median9 returns the median of v. It uses the network of 19 exchanges by Smith (1996), as given in
// Devillard, "Fast median search" (1998).
func median9(v *[9]byte) byte {
	for _, e := range [...][2]uint8{
		{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
		{5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2},
	} {
		a, b := v[e[0]], v[e[1]]
		v[e[0]], v[e[1]] = min(a, b), max(a, b)
	}
	return v[4]
}
