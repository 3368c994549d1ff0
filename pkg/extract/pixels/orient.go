package pixels

import (
	"encoding/binary"
	"image"
)

// orient applies an orientation as defined by EXIF 2.32, table "Orientation".
func (p *Picture) orient(o int) {
	switch o {
	case 2:
		p.FlipHorizontal()
	case 3:
		p.Rotate(180)
	case 4:
		p.FlipVertical()
	case 5:
		p.transform(turn{swap: true})
	case 6:
		p.Rotate(90)
	case 7:
		p.transform(turn{swap: true, right: true, bottom: true})
	case 8:
		p.Rotate(270)
	}
}

// Rotate turns the picture clockwise by 90, 180 or 270 degrees. Other angles change nothing.
func (p *Picture) Rotate(degrees int) {
	switch degrees {
	case 90:
		p.transform(turn{swap: true, bottom: true})
	case 180:
		p.transform(turn{right: true, bottom: true})
	case 270:
		p.transform(turn{swap: true, right: true})
	}
}

// FlipHorizontal mirrors the picture left to right.
func (p *Picture) FlipHorizontal() { p.transform(turn{right: true}) }

// FlipVertical mirrors the picture top to bottom.
func (p *Picture) FlipVertical() { p.transform(turn{bottom: true}) }

// turn maps the pixels of the result to the source: with swap, rows of the result are columns of
// the source; with right or bottom, the source is read from that edge.
type turn struct{ swap, right, bottom bool }

func (p *Picture) transform(t turn) {
	switch m := p.pixels.(type) {
	case *image.Gray:
		out := image.NewGray(t.rect(m.Rect))
		t.plane(out.Pix, out.Stride, out.Rect.Size(), m.Pix, m.Stride, 1)
		p.pixels = out
		return
	case *image.YCbCr:
		if ratio, ok := t.subsampling(m); ok {
			p.pixels = t.planes(m, ratio)
			return
		}
	}
	m := p.NRGBA()
	out := image.NewNRGBA(t.rect(m.Rect))
	t.plane(out.Pix, out.Stride, out.Rect.Size(), m.Pix, m.Stride, 4)
	p.pixels = out
}

func (t turn) planes(m *image.YCbCr, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	out := image.NewYCbCr(t.rect(m.Rect), ratio)
	t.plane(out.Y, out.YStride, out.Rect.Size(), m.Y, m.YStride, 1)
	chroma := chromaSize(out.Rect.Size(), ratio)
	t.plane(out.Cb, out.CStride, chroma, m.Cb, m.CStride, 1)
	t.plane(out.Cr, out.CStride, chroma, m.Cr, m.CStride, 1)
	return out
}

// subsampling returns the chroma subsampling ratio of the turned picture. It returns false if the
// planes cannot be turned separately: samples would shift if a side is not a multiple of the ratio,
// and a horizontal ratio of 4 has no vertical counterpart.
func (t turn) subsampling(m *image.YCbCr) (image.YCbCrSubsampleRatio, bool) {
	h, v := subsampling(m.SubsampleRatio)
	if h > 2 || m.Rect.Dx()%h != 0 || m.Rect.Dy()%v != 0 {
		return 0, false
	}
	if t.swap {
		switch m.SubsampleRatio {
		case image.YCbCrSubsampleRatio422:
			return image.YCbCrSubsampleRatio440, true
		case image.YCbCrSubsampleRatio440:
			return image.YCbCrSubsampleRatio422, true
		}
	}
	return m.SubsampleRatio, true
}

func (t turn) rect(r image.Rectangle) image.Rectangle {
	if t.swap {
		return image.Rect(0, 0, r.Dy(), r.Dx())
	}
	return image.Rect(0, 0, r.Dx(), r.Dy())
}

// plane writes the turned plane of the given size to dst. A pixel has n bytes.
func (t turn) plane(dst []byte, dstStride int, size image.Point, src []byte, srcStride, n int) {
	width, height := size.X, size.Y // size of the source
	stepX, stepY := n, srcStride    // source offset of the next pixel in each direction of the result
	if t.swap {
		width, height = size.Y, size.X
	}
	begin := 0
	if t.right {
		begin += (width - 1) * n
		stepX = -stepX
	}
	if t.bottom {
		begin += (height - 1) * srcStride
		stepY = -stepY
	}
	if t.swap {
		stepX, stepY = stepY, stepX
	}
	if t.swap && n == 1 {
		transpose(dst, dstStride, size, src, begin, stepX, stepY)
		return
	}
	side := max(size.X, size.Y)
	if t.swap { // columns are read: tiles whose lines stay in the cache
		side = 64
	}
	for top := 0; top < size.Y; top += side {
		for left := 0; left < size.X; left += side {
			for y := top; y < min(top+side, size.Y); y++ {
				row := dst[y*dstStride+left*n : y*dstStride+min(left+side, size.X)*n]
				move(row, src, begin+y*stepY+left*stepX, stepX, n)
			}
		}
	}
}

// transpose writes columns of a plane as rows. begin is the offset of the first sample; stepX, a row or minus a row, and stepY,
// 1 or -1, are the distances of the next sample in each direction of the result.
func transpose(dst []byte, dstStride int, size image.Point, src []byte, begin, stepX, stepY int) {
	const lines = 64 // of the source, which stay in the cache
	for left := 0; left < size.X; left += lines {
		right := min(left+lines, size.X)
		y := 0
		for ; y+8 <= size.Y; y += 8 {
			x := left
			for ; x+8 <= right; x += 8 {
				var b [8]uint64
				first := begin + y*stepY + x*stepX
				if stepY < 0 {
					first -= 7
				}
				for i := range b {
					b[i] = binary.LittleEndian.Uint64(src[first+i*stepX:])
				}
				square(&b)
				for i, v := range b {
					if stepY < 0 {
						i = 7 - i
					}
					binary.LittleEndian.PutUint64(dst[(y+i)*dstStride+x:], v)
				}
			}
			for i := y; i < y+8; i++ {
				move(dst[i*dstStride+x:i*dstStride+right], src, begin+i*stepY+x*stepX, stepX, 1)
			}
		}
		for ; y < size.Y; y++ {
			move(dst[y*dstStride+left:y*dstStride+right], src, begin+y*stepY+left*stepX, stepX, 1)
		}
	}
}

// square transposes 8 × 8 bytes: the four quarters, then those of the quarters, then those of these.
func square(b *[8]uint64) {
	const halves, pairs, bytes = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	for i := range 4 {
		b[i], b[i+4] = exchange(b[i], b[i+4], 32, halves)
	}
	b[0], b[2] = exchange(b[0], b[2], 16, pairs)
	b[1], b[3] = exchange(b[1], b[3], 16, pairs)
	b[4], b[6] = exchange(b[4], b[6], 16, pairs)
	b[5], b[7] = exchange(b[5], b[7], 16, pairs)
	b[0], b[1] = exchange(b[0], b[1], 8, bytes)
	b[2], b[3] = exchange(b[2], b[3], 8, bytes)
	b[4], b[5] = exchange(b[4], b[5], 8, bytes)
	b[6], b[7] = exchange(b[6], b[7], 8, bytes)
}

// exchange swaps the high parts of a with the low parts of b.
func exchange(a, b uint64, shift int, low uint64) (uint64, uint64) {
	swapped := (a>>shift ^ b) & low
	return a ^ swapped<<shift, b ^ swapped
}

// move writes a row with the pixels of src from offset at on, which are step bytes apart. A pixel has 1 or 4 bytes.
func move(row, src []byte, at, step, n int) {
	if n == 1 {
		for x := range row {
			row[x] = src[at]
			at += step
		}
		return
	}
	for x := 0; x < len(row); x += 4 {
		copy(row[x:x+4], src[at:at+4])
		at += step
	}
}

// subsampling returns the number of pixels that share a chroma sample in each direction.
func subsampling(r image.YCbCrSubsampleRatio) (h, v int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// chromaSize returns the size of the chroma planes of a picture.
func chromaSize(luma image.Point, r image.YCbCrSubsampleRatio) image.Point {
	h, v := subsampling(r)
	return image.Pt((luma.X+h-1)/h, (luma.Y+v-1)/v)
}
