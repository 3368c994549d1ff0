package pixels

import (
	"fmt"
	"image"
	"image/color"
)

// Losses of decoding, as user-facing messages.
const (
	reducedDepth = "16 bits per channel were reduced to 8"
	reducedBits  = "%d bits per channel were reduced to 8"
	reducedCMYK  = "CMYK colors were converted without their color profile"
)

// normal converts a decoded image to one of the pixel types of Picture.
func normal(m image.Image) *Picture {
	switch m := m.(type) {
	case remarked:
		p := normal(m.Image)
		p.Remarks = append(m.remarks, p.Remarks...)
		return p
	case *image.YCbCr, *image.Gray:
		return &Picture{pixels: m}
	case *image.RGBA: // returned by image/png for pictures without an alpha channel
		return &Picture{pixels: asNRGBA(m)}
	case *image.NRGBA:
		return New(m)
	case *image.CMYK:
		return &Picture{pixels: fromCMYK(m), Remarks: []string{reducedCMYK}}
	case *image.NYCbCrA:
		return New(fromNYCbCrA(m))
	case *image.Paletted:
		return New(fromPaletted(m))
	case *image.Gray16:
		return &Picture{pixels: fromGray16(m), Remarks: []string{reducedDepth}}
	default: // *image.RGBA64 and *image.NRGBA64, of 16-bit PNG
		p := New(fromAny(m))
		p.Remarks = []string{reducedDepth}
		return p
	}
}

func fromCMYK(m *image.CMYK) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		from, to := m.Pix[y*m.Stride:], out.Pix[y*out.Stride:]
		for x := 0; x < 4*m.Rect.Dx(); x += 4 {
			to[x], to[x+1], to[x+2] = color.CMYKToRGB(from[x], from[x+1], from[x+2], from[x+3])
			to[x+3] = 0xff
		}
	}
	return out
}

func fromNYCbCrA(m *image.NYCbCrA) *image.NRGBA {
	p := Picture{pixels: &m.YCbCr}
	out := p.NRGBA()
	for y := range m.Rect.Dy() {
		row := out.Pix[y*out.Stride:]
		for x, a := range m.A[y*m.AStride : y*m.AStride+m.Rect.Dx()] {
			row[4*x+3] = a
		}
	}
	return out
}

func fromPaletted(m *image.Paletted) *image.NRGBA {
	var palette [256][4]byte
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		palette[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		row := out.Pix[y*out.Stride:]
		for x, i := range m.Pix[y*m.Stride : y*m.Stride+m.Rect.Dx()] {
			copy(row[4*x:4*x+4], palette[i][:])
		}
	}
	return out
}

func fromGray16(m *image.Gray16) *image.Gray {
	out := image.NewGray(m.Rect)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			out.Pix[y*out.Stride+x] = m.Pix[y*m.Stride+2*x] // big-endian: the high byte
		}
	}
	return out
}

func fromAny(m image.Image) *image.NRGBA {
	b := m.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA))
		}
	}
	return out
}

// reduced returns m, with a remark if its source has more than 8 bits per channel.
func reduced(m image.Image, depth int) image.Image {
	if depth <= 8 {
		return m
	}
	return remarked{m, []string{fmt.Sprintf(reducedBits, depth)}}
}

// grayOf returns the first channel of interleaved RGBA.
func grayOf(rgba []byte, stride int, size image.Point) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: size})
	for y := range size.Y {
		row := out.Pix[y*out.Stride:]
		for x := range size.X {
			row[x] = rgba[y*stride+4*x]
		}
	}
	return out
}
