package pixels

import (
	"context"
	"image"
)

// runs decodes run lengths and returns the number of rows up to the last one with pixels. Pixels that are skipped have
// the first color.
func (b *bmp) runs(ctx context.Context, m *image.NRGBA) int {
	first := b.palette[0]
	for i := 0; i < len(m.Pix); i += 4 {
		copy(m.Pix[i:i+4], first[:])
	}
	if b.compression == -bmpRLE24 {
		for i := range m.Pix {
			m.Pix[i] = 0
		}
		opaque(m)
	}
	var x, y int
	in := b.pixels
	put := func(color []byte) {
		if x < b.size.X && y < b.size.Y {
			copy(b.row(m, y)[4*x:4*x+4], color)
		}
		x++
	}
	const endOfLine, endOfPicture, move = 0, 1, 2
	for len(in) >= 2 && y < b.size.Y && ctx.Err() == nil {
		count, value := int(in[0]), int(in[1])
		switch {
		case count > 0:
			n := b.unit()
			if len(in) < 1+n {
				return y
			}
			for k := range count {
				put(b.color(in[1:1+n], k))
			}
			in = in[1+n:]
		case value == endOfLine:
			x, y, in = 0, y+1, in[2:]
		case value == endOfPicture:
			return b.size.Y
		case value == move:
			if len(in) < 4 {
				return y
			}
			x, y, in = x+int(in[2]), y+int(in[3]), in[4:]
		default: // that many pixels, padded to 16 bits
			length := value * b.depth / 8
			if b.depth == 4 {
				length = (value + 1) / 2
			}
			if len(in) < 2+length {
				return y
			}
			for k := range value {
				switch b.depth {
				case 4:
					put(b.color(in[2+k/2:3+k/2], k))
				case 8:
					put(b.color(in[2+k:3+k], k))
				default:
					put(b.color(in[2+3*k:5+3*k], k))
				}
			}
			in = in[min(2+length+length%2, len(in)):]
		}
	}
	return y
}

// unit returns the number of bytes of the value of a run.
func (b *bmp) unit() int {
	if b.depth == 24 {
		return 3
	}
	return 1
}

// color returns the color of pixel k of a value. With 4 bits, a value has two colors.
func (b *bmp) color(value []byte, k int) []byte {
	switch b.depth {
	case 4:
		return b.palette[value[0]>>(4-k%2*4)&15][:]
	case 8:
		return b.palette[value[0]][:]
	default:
		return []byte{value[2], value[1], value[0], 0xff}
	}
}
