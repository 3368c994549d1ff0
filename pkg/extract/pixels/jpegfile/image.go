package jpegfile

import (
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/chroma"
)

// Image returns the picture as *image.YCbCr, *image.Gray, *image.RGBA or *image.CMYK. It may share the samples of the
// frame.
func (f *Frame) Image() image.Image {
	rect := image.Rect(0, 0, f.Width, f.Height)
	first := f.components[0]
	switch {
	case len(f.components) == 1:
		return &image.Gray{Pix: first.samples, Stride: first.stride(), Rect: rect}
	case len(f.components) == 4:
		return f.cmyk(rect)
	case f.rgb():
		m := image.NewRGBA(rect)
		for n := range 3 {
			f.interleave(m.Pix[n:], n, 0)
		}
		for at := 3; at < len(m.Pix); at += 4 {
			m.Pix[at] = 0xff
		}
		return m
	}
	second, third := f.components[1], f.components[2]
	if ratio, ok := f.ratio(); ok {
		return &image.YCbCr{
			Y: first.samples, Cb: second.samples, Cr: third.samples,
			YStride: first.stride(), CStride: second.stride(), SubsampleRatio: ratio, Rect: rect,
		}
	}
	return &image.YCbCr{
		Y: f.full(first), Cb: f.full(second), Cr: f.full(third),
		YStride: f.Width, CStride: f.Width, SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: rect,
	}
}

// separate reports whether Image returns the samples of the frame, without calculating others.
func (f *Frame) separate() bool {
	if len(f.components) != 3 || f.rgb() {
		return len(f.components) == 1
	}
	_, ok := f.ratio()
	return ok
}

// rgb reports whether the three components are red, green and blue, as libjpeg decides.
func (f *Frame) rgb() bool {
	switch {
	case f.jfif:
		return false
	case f.adobe >= 0:
		return f.adobe == 0
	}
	return f.components[0].id == 'R' && f.components[1].id == 'G' && f.components[2].id == 'B'
}

// ratio returns the subsampling ratio of the standard library, if it has one.
func (f *Frame) ratio() (image.YCbCrSubsampleRatio, bool) {
	luma, cb, cr := f.components[0], f.components[1], f.components[2]
	if luma.h != f.h || luma.v != f.v || cb.h != cr.h || cb.v != cr.v || f.h%cb.h != 0 || f.v%cb.v != 0 {
		return 0, false
	}
	ratio, ok := map[[2]int]image.YCbCrSubsampleRatio{
		{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422, {2, 2}: image.YCbCrSubsampleRatio420,
		{1, 2}: image.YCbCrSubsampleRatio440, {4, 1}: image.YCbCrSubsampleRatio411, {4, 2}: image.YCbCrSubsampleRatio410,
	}[[2]int{f.h / cb.h, f.v / cb.v}]
	return ratio, ok
}

// full returns the samples of a component in the size of the frame.
func (f *Frame) full(c *component) []byte {
	out := make([]byte, f.Width*f.Height)
	for y := range f.Height {
		f.row(out[y*f.Width:][:f.Width], c, y)
	}
	return out
}

// row writes a row of a component in the width of the frame.
func (f *Frame) row(dst []byte, c *component, y int) {
	plane := chroma.Plane{Samples: c.samples, Stride: c.stride(), Width: c.width, Height: c.height}
	if f.h%c.h == 0 && f.v%c.v == 0 {
		plane.Row(dst, y, f.h/c.h, f.v/c.v)
		return
	}
	above, below, down := between(y, c.v, f.v, c.height)
	for x := range dst {
		left, right, across := between(x, c.h, f.h, c.width)
		at := func(x, y int) int { return int(plane.Samples[y*plane.Stride+x]) }
		top := at(left, above)*(2*f.h-across) + at(right, above)*across
		bottom := at(left, below)*(2*f.h-across) + at(right, below)*across
		whole := 4 * f.h * f.v
		dst[x] = byte((top*(2*f.v-down) + bottom*down + whole/2) / whole)
	}
}

// between returns the two samples of a component between which position at of the frame lies, and how far it is from the
// first, in parts of 2 × largest. The factors are those of the component and the largest.
func between(at, factor, largest, size int) (low, high, part int) {
	position := (2*at+1)*factor - largest // in parts of 2 × largest, from the center of the first sample
	if position < 0 {
		return 0, 0, 0
	}
	low, part = position/(2*largest), position%(2*largest)
	return min(low, size-1), min(low+1, size-1), part
}

// interleave writes component n to every fourth byte of out, combined with invert by exclusive or.
func (f *Frame) interleave(out []byte, n int, invert byte) {
	row := make([]byte, f.Width)
	for y := range f.Height {
		f.row(row, f.components[n], y)
		to := out[4*y*f.Width:]
		for x, value := range row {
			to[4*x] = value ^ invert
		}
	}
}

// cmyk returns a frame of four components. With a segment of Adobe, the samples are inverted.
func (f *Frame) cmyk(rect image.Rectangle) image.Image {
	m := image.NewCMYK(rect)
	var invert byte
	if f.adobe >= 0 {
		invert = 0xff
	}
	f.interleave(m.Pix[3:], 3, invert)
	if f.adobe != 2 {
		for n := range 3 {
			f.interleave(m.Pix[n:], n, invert)
		}
		return m
	}
	rows := make([]byte, 3*f.Width+4*f.Width)
	luma, cb, cr, rgb := rows[:f.Width], rows[f.Width:2*f.Width], rows[2*f.Width:3*f.Width], rows[3*f.Width:]
	for y := range f.Height {
		f.row(luma, f.components[0], y)
		f.row(cb, f.components[1], y)
		f.row(cr, f.components[2], y)
		chroma.RGBA(rgb, luma, cb, cr)
		to := m.Pix[y*m.Stride:]
		for x := 0; x < len(rgb); x += 4 { // the inverse of Y'CbCr and the inverse of Adobe cancel out
			copy(to[x:x+3], rgb[x:x+3])
		}
	}
	return m
}
