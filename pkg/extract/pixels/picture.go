package pixels

import (
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/chroma"
)

// Picture is a decoded picture, upright, with 8 bits per channel. It retains the decoder's Y'CbCr or
// gray planes until an operation needs RGB, so a photo that is only resized and encoded again is not
// converted. It is not safe for concurrent use.
type Picture struct {
	// pixels is an *image.YCbCr, *image.Gray or *image.NRGBA with bounds that begin at (0, 0).
	pixels  image.Image
	alpha   bool // an NRGBA with at least one transparent pixel
	profile []byte
	codecs  *codecs // shared with the Decoder; nil if the picture needs its own
	// Remarks are user-facing sentences, without a full stop, about what decoding lost or guessed.
	Remarks []string
}

// New returns a Picture of m. It does not copy m and may change it.
func New(m *image.NRGBA) *Picture {
	return &Picture{pixels: zeroBased(m), alpha: !m.Opaque()}
}

// Width returns the width in pixels.
func (p *Picture) Width() int { return p.pixels.Bounds().Dx() }

// Height returns the height in pixels.
func (p *Picture) Height() int { return p.pixels.Bounds().Dy() }

// Opaque reports whether no pixel is transparent.
func (p *Picture) Opaque() bool { return !p.alpha }

// Copy returns a picture that shares the pixels of p. Both may be resized and encoded, but neither
// may be changed in place.
func (p *Picture) Copy() *Picture {
	shared := *p
	return &shared
}

// NRGBA returns the pixels. The caller may change them unless a Copy shares them. It must call
// SetTransparent after making pixels transparent.
func (p *Picture) NRGBA() *image.NRGBA {
	switch m := p.pixels.(type) {
	case *image.NRGBA:
		return m
	case *image.Gray:
		p.withoutGrayProfile()
		p.pixels = fromGray(p.pixels.(*image.Gray))
	case *image.YCbCr:
		p.pixels = fromYCbCr(m)
	}
	return p.NRGBA()
}

// SetTransparent records that the caller has made pixels of NRGBA transparent.
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

// fromYCbCr interpolates the chroma, as libjpeg does. Y'CbCr has no alpha channel.
func fromYCbCr(m *image.YCbCr) *image.NRGBA {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	h, v := subsampling(m.SubsampleRatio)
	small := chromaSize(m.Rect.Size(), m.SubsampleRatio)
	blue := chroma.Plane{Samples: m.Cb, Stride: m.CStride, Width: small.X, Height: small.Y}
	red := chroma.Plane{Samples: m.Cr, Stride: m.CStride, Width: small.X, Height: small.Y}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	cb, cr := make([]byte, width), make([]byte, width)
	for y := range height {
		blue.Row(cb, y, h, v)
		red.Row(cr, y, h, v)
		chroma.RGBA(out.Pix[y*out.Stride:], m.Y[y*m.YStride:][:width], cb, cr)
	}
	return out
}

// asNRGBA returns an opaque RGBA image as NRGBA without copying.
func asNRGBA(m *image.RGBA) *image.NRGBA {
	return zeroBased(&image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect})
}

// zeroBased returns m with bounds that begin at (0, 0), without copying the pixels.
func zeroBased(m *image.NRGBA) *image.NRGBA {
	if m.Rect.Min == (image.Point{}) {
		return m
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy())}
}
