package pixels

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// DefaultQuality is the default quality of a JPEG.
const DefaultQuality = 85

// Encoding specifies how to write a picture.
type Encoding struct {
	Format  Format // JPEG, PNG, WebP, GIF or AVIF
	Quality int    // for JPEG, WebP and AVIF, 1 to 100 (lossless WebP); 0 means 85 for JPEG, 80 for WebP and 65 for AVIF
}

// Memory returns the maximum memory that a codec takes for encoding a picture of this size that may have transparent pixels, in
// bytes. A caller that shrinks a picture before it encodes it passes it as Limits.Beside, instead of setting Limits.Encodings.
func (e Encoding) Memory(width, height int) int64 { return e.memory(int64(width)*int64(height), false) }

// memory returns the memory that a codec takes for encoding, in bytes.
func (e Encoding) memory(pixels int64, opaque bool) int64 {
	switch e.Format {
	case WebP:
		return webpMemory(pixels, cmp.Or(e.Quality, webpQuality), opaque)
	case AVIF:
		return avifEncodeMemory(pixels)
	}
	return 0
}

// Encode returns the picture as a file with its color profile and no other metadata. JPEG has no
// transparency: transparent pixels are drawn on white.
func (p *Picture) Encode(e Encoding) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch e.Format {
	case JPEG:
		var file []byte
		file, err = jpegfile.Encode(p.onWhite(), cmp.Or(e.Quality, DefaultQuality))
		out.Write(file)
	case PNG:
		if _, planes := p.pixels.(*image.YCbCr); planes {
			p.NRGBA() // image/png would write 16 bits per channel
		}
		err = png.Encode(&out, p.known())
	case GIF: // it has no place for the profile that programs read
		return (&Animation{Frames: []*Picture{p}, Delays: make([]time.Duration, 1), Plays: 1}).encodeGIF()
	case WebP:
		return p.encodeWebP(cmp.Or(e.Quality, webpQuality))
	case AVIF:
		return p.encodeAVIF(cmp.Or(e.Quality, avifQuality))
	default:
		err = fmt.Errorf("unsupported output format %q", e.Format)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", e.Format, err)
	}
	if p.profile == nil {
		return out.Bytes(), nil
	}
	return withProfile(out.Bytes(), e.Format, p.profile)
}

func (p *Picture) encodeWebP(quality int) ([]byte, error) {
	out, err := p.webp(p.NRGBA(), quality, !p.alpha)
	if err != nil || p.profile == nil {
		return out, err
	}
	return withProfile(out, WebP, p.profile)
}

func (p *Picture) encodeAVIF(quality int) ([]byte, error) {
	c := p.codecs
	if c == nil {
		own := newCodecs(wasm.Config{})
		c = &own
		defer func() { _ = c.close(context.Background()) }() // the garbage collector frees its memory
	}
	out, err := encodeAVIF(c.avifEncoder, p.NRGBA(), quality)
	if err != nil || p.profile == nil {
		return out, err
	}
	return avifProfile(out, p.profile)
}

// webp encodes m with the codecs of the picture.
func (p *Picture) webp(m *image.NRGBA, quality int, opaque bool) ([]byte, error) {
	c := p.codecs
	if c == nil {
		own := newCodecs(wasm.Config{})
		c = &own
		defer func() { _ = c.close(context.Background()) }() // the garbage collector frees its memory
	}
	return c.webp.encode(m, quality, opaque)
}

// known returns the pixels. If they are opaque, it returns them as a type that encoders recognize as opaque.
func (p *Picture) known() image.Image {
	if m, ok := p.pixels.(*image.NRGBA); ok && !p.alpha {
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	}
	return p.pixels
}

func (p *Picture) onWhite() image.Image {
	if !p.alpha {
		return p.known()
	}
	m := p.NRGBA()
	out := image.NewRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		from, to := m.Pix[y*m.Stride:], out.Pix[y*out.Stride:]
		for x := 0; x < 4*m.Rect.Dx(); x += 4 {
			a := uint32(from[x+3])
			for c := range 3 {
				to[x+c] = byte((uint32(from[x+c])*a + 255*(255-a) + 127) / 255)
			}
			to[x+3] = 0xff
		}
	}
	return out
}
