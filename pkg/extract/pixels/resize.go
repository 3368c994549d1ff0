package pixels

import "image"

// Fit shrinks the picture to at most width × height and preserves its aspect ratio. It never
// enlarges the picture. A bound of 0 is not checked.
func (p *Picture) Fit(width, height int) {
	p.Resize(FitSize(p.Width(), p.Height(), width, height))
}

// FitSize returns the size of a picture of w × h after Fit, in pixels.
func FitSize(w, h, width, height int) (int, int) {
	if width <= 0 {
		width = w
	}
	if height <= 0 {
		height = h
	}
	switch {
	case w <= width && h <= height:
		return w, h
	case int64(w)*int64(height) >= int64(h)*int64(width): // the width is the tighter bound
		return width, max((2*h*width+w)/(2*w), 1)
	}
	return max((2*w*height+h)/(2*h), 1), height
}

// Resize shrinks the picture to width × height. Each side is clamped to the range from 1 to that side of the picture.
func (p *Picture) Resize(width, height int) {
	from := p.pixels.Bounds().Size()
	p.scale(image.Pt(min(max(width, 1), from.X), min(max(height, 1), from.Y)), kernel{catmullRom, 2})
}

// Enlarge enlarges the picture to width × height by interpolation with a Lanczos kernel of three lobes, which
// adds no detail. Neither side becomes shorter.
func (p *Picture) Enlarge(width, height int) {
	from := p.pixels.Bounds().Size()
	p.scale(image.Pt(max(width, from.X), max(height, from.Y)), kernel{lanczos3, 3})
}

// scale resamples the picture to a size.
func (p *Picture) scale(to image.Point, k kernel) {
	from := p.pixels.Bounds().Size()
	if to == from {
		return
	}
	scaleX, scaleY := float64(from.X)/float64(to.X), float64(from.Y)/float64(to.Y)
	switch m := p.pixels.(type) {
	case *image.Gray:
		out := image.NewGray(image.Rectangle{Max: to})
		resample(plane{out.Pix, out.Stride, to}, plane{m.Pix, m.Stride, from}, 1, scaleX, scaleY, k)
		p.pixels = out
	case *image.YCbCr:
		out := image.NewYCbCr(image.Rectangle{Max: to}, m.SubsampleRatio)
		resample(plane{out.Y, out.YStride, to}, plane{m.Y, m.YStride, from}, 1, scaleX, scaleY, k)
		small, large := chromaSize(to, m.SubsampleRatio), chromaSize(from, m.SubsampleRatio)
		resample(plane{out.Cb, out.CStride, small}, plane{m.Cb, m.CStride, large}, 1, scaleX, scaleY, k)
		resample(plane{out.Cr, out.CStride, small}, plane{m.Cr, m.CStride, large}, 1, scaleX, scaleY, k)
		p.pixels = out
	case *image.NRGBA:
		if p.alpha { // the color of transparent pixels must not affect their neighbors
			m = premultiplied(m)
		}
		out := image.NewNRGBA(image.Rectangle{Max: to})
		resample(plane{out.Pix, out.Stride, to}, plane{m.Pix, m.Stride, from}, 4, scaleX, scaleY, k)
		if p.alpha {
			divideByAlpha(out)
		}
		p.pixels = out
	}
}

// plane is an image plane with one or four bytes per pixel.
type plane struct {
	pix    []byte
	stride int
	size   image.Point
}

// resample scales from into to, both with n bytes per pixel, first along the rows and then along the
// columns. It keeps only the source rows needed for one row of the result.
func resample(to, from plane, n int, scaleX, scaleY float64, k kernel) {
	across := newTaps(to.size.X, from.size.X, scaleX, k)
	down := newTaps(to.size.Y, from.size.Y, scaleY, k)
	width := to.size.X * n
	ring := make([]byte, down.n*width) // source row r is at index r modulo down.n
	sums := make([]int32, width)
	done := 0
	for y := range to.size.Y {
		first := down.first[y]
		for done = max(done, first); done < first+down.n; done++ {
			row := from.pix[done*from.stride:]
			if n == 1 {
				across.gray(ring[done%down.n*width:][:width], row)
			} else {
				across.rgba(ring[done%down.n*width:][:width], row)
			}
		}
		for i := range sums {
			sums[i] = one / 2
		}
		for k, w := range down.weights[y*down.n : (y+1)*down.n] {
			if w != 0 {
				addTimes(sums, ring[(first+k)%down.n*width:][:width], w)
			}
		}
		store(to.pix[y*to.stride:][:width], sums)
	}
}

func addTimes(sums []int32, row []byte, w int32) {
	row = row[:len(sums)]
	for i, v := range row {
		sums[i] += w * int32(v)
	}
}

func store(row []byte, sums []int32) {
	sums = sums[:len(row)]
	for i, s := range sums {
		row[i] = clamp(s >> weightBits)
	}
}

// gray computes a row with one byte per pixel.
func (t taps) gray(to, from []byte) {
	for i := range to {
		weights := t.weights[i*t.n : (i+1)*t.n]
		samples := from[t.first[i]:][:len(weights)]
		sum := int32(one / 2)
		for k, w := range weights {
			sum += w * int32(samples[k])
		}
		to[i] = clamp(sum >> weightBits)
	}
}

// rgba computes a row with four bytes per pixel.
func (t taps) rgba(to, from []byte) {
	for i := range t.first {
		weights := t.weights[i*t.n : (i+1)*t.n]
		samples := from[4*t.first[i]:][:4*len(weights)]
		r, g, b, a := int32(one/2), int32(one/2), int32(one/2), int32(one/2)
		for k, w := range weights {
			s := samples[4*k : 4*k+4 : 4*k+4]
			r += w * int32(s[0])
			g += w * int32(s[1])
			b += w * int32(s[2])
			a += w * int32(s[3])
		}
		out := to[4*i : 4*i+4 : 4*i+4]
		out[0], out[1] = clamp(r>>weightBits), clamp(g>>weightBits)
		out[2], out[3] = clamp(b>>weightBits), clamp(a>>weightBits)
	}
}

func clamp(v int32) byte {
	if uint32(v) <= 0xff {
		return byte(v)
	}
	return byte(^(v >> 31)) // 0 for negative values, else 255
}

func premultiplied(m *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		from, to := m.Pix[y*m.Stride:], out.Pix[y*out.Stride:]
		for x := 0; x < 4*m.Rect.Dx(); x += 4 {
			a := uint32(from[x+3])
			to[x] = byte((uint32(from[x])*a + 127) / 255)
			to[x+1] = byte((uint32(from[x+1])*a + 127) / 255)
			to[x+2] = byte((uint32(from[x+2])*a + 127) / 255)
			to[x+3] = byte(a)
		}
	}
	return out
}

func divideByAlpha(m *image.NRGBA) {
	for i := 0; i < len(m.Pix); i += 4 {
		px := m.Pix[i : i+4 : i+4]
		a := uint32(px[3])
		if a == 0 {
			px[0], px[1], px[2] = 0, 0, 0
			continue
		}
		for c := range 3 {
			px[c] = byte(min((uint32(px[c])*255+a/2)/a, 255))
		}
	}
}
