package jpegfile

import (
	"image"
	"image/color"
)

// strip contains 16 lines of a picture, with chroma in half the width and height. The last pixel of a line and the last
// line are repeated.
type strip struct {
	width        int // of luma, a multiple of 16
	luma, cb, cr []byte
	blue, red    [2][]byte // lines of chroma that are not subsampled
}

func newStrip(width int) *strip {
	width = ceil(width, 16) * 16
	s := &strip{width: width, luma: make([]byte, 16*width), cb: make([]byte, 4*width), cr: make([]byte, 4*width)}
	for i := range 2 {
		s.blue[i], s.red[i] = make([]byte, width), make([]byte, width)
	}
	return s
}

// fill copies a line and repeats its last sample.
func fill(to, from []byte) {
	n := copy(to, from)
	repeat(to, n)
}

func repeat(line []byte, n int) {
	for i := n; i < len(line); i++ {
		line[i] = line[n-1]
	}
}

func (s *strip) line(plane []byte, y, width int) []byte { return plane[y*width:][:width] }

// gray loads 8 lines from line top.
func (s *strip) gray(m *image.Gray, top int) {
	for y := range 8 {
		from := min(top+y, m.Rect.Dy()-1) * m.Stride
		fill(s.line(s.luma, y, s.width), m.Pix[from:from+m.Rect.Dx()])
	}
}

// ycbcr loads 16 lines from line top.
func (s *strip) ycbcr(m *image.YCbCr, top int) {
	width, bottom := m.Rect.Dx(), m.Rect.Dy()-1
	for y := range 16 {
		from := min(top+y, bottom) * m.YStride
		fill(s.line(s.luma, y, s.width), m.Y[from:from+width])
	}
	for y := range 8 {
		cb, cr := s.line(s.cb, y, s.width/2), s.line(s.cr, y, s.width/2)
		if m.SubsampleRatio == image.YCbCrSubsampleRatio420 {
			from, n := m.COffset(0, min(top+2*y, bottom)), (width+1)/2
			fill(cb, m.Cb[from:from+n])
			fill(cr, m.Cr[from:from+n])
			continue
		}
		for i := range 2 {
			line := min(top+2*y+i, bottom)
			for x := range width {
				at := m.COffset(x, line)
				s.blue[i][x], s.red[i][x] = m.Cb[at], m.Cr[at]
			}
		}
		s.shrink(cb, cr, width)
	}
}

// rgba loads 16 lines from line top.
func (s *strip) rgba(m *image.RGBA, top int) {
	width := m.Rect.Dx()
	for y := range 16 {
		line, cb, cr := s.line(s.luma, y, s.width), s.blue[y%2][:width], s.red[y%2][:width]
		pixels := m.Pix[min(top+y, m.Rect.Dy()-1)*m.Stride:][:4*width]
		for x := range cb {
			line[x], cb[x], cr[x] = color.RGBToYCbCr(pixels[4*x], pixels[4*x+1], pixels[4*x+2])
		}
		repeat(line, width)
		if y%2 == 1 {
			s.shrink(s.line(s.cb, y/2, s.width/2), s.line(s.cr, y/2, s.width/2), width)
		}
	}
}

// shrink writes the means of the chroma of two lines, of which width samples are set.
func (s *strip) shrink(cb, cr []byte, width int) {
	mean := func(to []byte, lines *[2][]byte) {
		above, below := lines[0], lines[1]
		repeat(above, width)
		repeat(below, width)
		for x := range to {
			to[x] = byte((int(above[2*x]) + int(above[2*x+1]) + int(below[2*x]) + int(below[2*x+1]) + 2) >> 2)
		}
	}
	mean(cb, &s.blue)
	mean(cr, &s.red)
}
