//go:build !noheic

package pixels

import (
	"fmt"
	"image"
)

// Constants of libheif (heif.h: heif_colorspace, heif_chroma).
const (
	heifYCbCr, heifRGB, heifGray    = 0, 1, 2
	heif420, heif422, heif444, rgba = 1, 2, 3, 11
)

// layout is the memory layout of a picture decoded by libheif: consecutive planes, with rows of at
// least 64 pixels and a multiple of 16 bytes (rounded_size and ImagePlane::alloc in pixelimage.cc).
type layout struct {
	size           image.Point
	space          int
	ratio          image.YCbCrSubsampleRatio
	stride, chroma int // bytes per row
	chromaRows     int
	bytes          int
}

func newLayout(size image.Point, space, chroma int) (layout, error) {
	row := func(pixels, n int) int { return (max(pixels, 64)*n + 15) &^ 15 }
	l := layout{size: size, space: space, stride: row(size.X, 1)}
	switch {
	case space == heifGray:
	case space == heifRGB:
		l.stride = row(size.X, 4)
	case space == heifYCbCr && chroma >= heif420 && chroma <= heif444:
		l.ratio = [...]image.YCbCrSubsampleRatio{
			heif420: image.YCbCrSubsampleRatio420, heif422: image.YCbCrSubsampleRatio422, heif444: image.YCbCrSubsampleRatio444,
		}[chroma]
		small := chromaSize(size, l.ratio)
		l.chroma, l.chromaRows = row(small.X, 1), small.Y
	default:
		return l, fmt.Errorf("unsupported HEIC color space %d with chroma %d", space, chroma)
	}
	l.bytes = l.stride*size.Y + 2*l.chroma*l.chromaRows
	return l, nil
}

// image returns an image whose planes are slices of pix.
func (l layout) image(pix []byte, premultiplied bool) image.Image {
	rect := image.Rectangle{Max: l.size}
	switch l.space {
	case heifGray:
		return &image.Gray{Pix: pix, Stride: l.stride, Rect: rect}
	case heifRGB:
		m := &image.NRGBA{Pix: pix, Stride: l.stride, Rect: rect}
		if premultiplied {
			divideByAlpha(m)
		}
		return m
	}
	luma, chroma := l.stride*l.size.Y, l.chroma*l.chromaRows
	return &image.YCbCr{
		Y: pix[:luma], Cb: pix[luma : luma+chroma], Cr: pix[luma+chroma:],
		YStride: l.stride, CStride: l.chroma, SubsampleRatio: l.ratio, Rect: rect,
	}
}
