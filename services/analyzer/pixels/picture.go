package pixels

import (
	"image"
	"image/draw"
)

// Picture is a decoded picture, upright, with 8 bits a channel. It keeps the
// decoder's Y'CbCr or grey planes until an operation needs RGB, so that a photo that
// is only resized and encoded again is never converted. It is for one goroutine.
type Picture struct {
	// pixels are *image.YCbCr, *image.Gray, or *image.NRGBA; all begin at (0, 0).
	pixels  image.Image
	alpha   bool // an NRGBA that has a transparent pixel
	profile []byte
	webp    *webpEncoder // the Decoder's; nil for one of its own
	// Reduced says what decoding could not keep, in words for the picture's owner; ""
	// when it kept everything.
	Reduced string
}

// New returns a Picture of m, which it keeps and changes.
func New(m *image.NRGBA) *Picture {
	return &Picture{pixels: zeroBased(m), alpha: !m.Opaque()}
}

// Width is in pixels.
func (p *Picture) Width() int { return p.pixels.Bounds().Dx() }

// Height is in pixels.
func (p *Picture) Height() int { return p.pixels.Bounds().Dy() }

// Opaque reports that no pixel is transparent.
func (p *Picture) Opaque() bool { return !p.alpha }

// Copy returns a picture of the same pixels, of which either may be resized or
// encoded, but neither changed in place. It takes no memory.
func (p *Picture) Copy() *Picture {
	same := *p
	return &same
}

// NRGBA returns the pixels for reading and, unless a Copy shares them, for writing.
// A pixel that is made transparent is reported with SetTransparent.
func (p *Picture) NRGBA() *image.NRGBA {
	switch m := p.pixels.(type) {
	case *image.NRGBA:
		return m
	case *image.Gray:
		p.pixels = fromGray(m)
	default: // Y'CbCr, which has no alpha, so that RGBA and NRGBA are the same bytes
		opaque := image.NewRGBA(m.Bounds())
		draw.Draw(opaque, opaque.Rect, m, image.Point{}, draw.Src)
		p.pixels = asNRGBA(opaque)
	}
	return p.NRGBA()
}

// SetTransparent says that pixels of NRGBA were made transparent.
func (p *Picture) SetTransparent() { p.alpha = true }

func fromGray(m *image.Gray) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		row := out.Pix[y*out.Stride:]
		for x, v := range m.Pix[y*m.Stride : y*m.Stride+m.Rect.Dx()] {
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = v, v, v, 0xff
		}
	}
	return out
}

// asNRGBA returns the bytes of an opaque RGBA as NRGBA.
func asNRGBA(m *image.RGBA) *image.NRGBA {
	return zeroBased(&image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect})
}

// zeroBased returns the same pixels, beginning at (0, 0).
func zeroBased(m *image.NRGBA) *image.NRGBA {
	if m.Rect.Min == (image.Point{}) {
		return m
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy())}
}
