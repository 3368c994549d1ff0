package pixels

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math/bits"

	"github.com/assay-project/assay/pkg/extract/reason"
)

func isBMP(head []byte) bool { return bytes.HasPrefix(head, []byte("BM")) }

// Compressions of a BMP. With the header of OS/2 2.x, 3 and 4 have other meanings.
const (
	bmpPlain  = 0
	bmpRLE8   = 1
	bmpRLE4   = 2
	bmpMasks  = 3
	bmpRLE24  = 4 // of OS/2
	bmpMasksA = 6
)

// bmp is the header of a BMP: BITMAPCOREHEADER, the header of OS/2 2.x, or BITMAPINFOHEADER to BITMAPV5HEADER.
type bmp struct {
	size        image.Point
	topDown     bool
	depth       int // bits per pixel
	compression int
	// masks are those of red, green, blue and alpha, with 16 and 32 bits. Without an alpha mask, the fourth byte is not used.
	masks   [4]uint32
	palette [256][4]byte
	colors  int // in the palette
	pixels  []byte
}

// unsupportedBMP names the feature for which a file is refused.
func unsupportedBMP(format string, args ...any) error {
	return ErrUnreadable.With(reason.BMPFeature, fmt.Sprintf(format, args...))
}

var errBMP = errors.New("the header of the BMP is damaged")

// readBMP reads the header and the palette.
func readBMP(data []byte) (*bmp, error) {
	const file, core, info, os2 = 14, 12, 40, 64
	if len(data) < file+core {
		return nil, errBMP
	}
	le := binary.LittleEndian
	offset, size := int64(le.Uint32(data[10:])), int64(le.Uint32(data[14:]))
	if size < core || size > int64(len(data)-file) {
		return nil, errBMP
	}
	head := append(bytes.Clone(data[file:file+size]), make([]byte, 128)...) // what short headers omit is 0
	b := &bmp{}
	rest, entry, stated := data[file+size:], 4, 0
	if size == core {
		b.size = image.Pt(int(le.Uint16(head[4:])), int(le.Uint16(head[6:])))
		b.depth, entry = int(le.Uint16(head[10:])), 3
	} else {
		b.size = image.Pt(int(int32(le.Uint32(head[4:]))), int(int32(le.Uint32(head[8:]))))
		b.depth, b.compression, stated = int(le.Uint16(head[14:])), int(le.Uint32(head[16:])), int(min(le.Uint32(head[32:]), 1<<20))
		if b.size.Y < 0 {
			b.size.Y, b.topDown = -b.size.Y, true
		}
	}
	if size != os2 && size >= 16 && size < info && b.compression == bmpMasks {
		return nil, unsupportedBMP("Huffman coding")
	}
	if size == os2 {
		switch b.compression {
		case bmpMasks:
			return nil, unsupportedBMP("Huffman coding")
		case bmpRLE24:
			b.compression = -bmpRLE24
		}
	}
	switch {
	case b.compression == bmpMasks || b.compression == bmpMasksA:
		masks := head[40:56]
		if size == info { // they follow the header
			n := 12 + (b.compression-bmpMasks)/3*4
			if len(rest) < n {
				return nil, errBMP
			}
			masks, rest = append(bytes.Clone(rest[:n]), 0, 0, 0, 0), rest[n:]
		}
		for i := range b.masks {
			b.masks[i] = le.Uint32(masks[4*i:])
		}
	case b.depth == 16:
		b.masks = [4]uint32{0x7c00, 0x03e0, 0x001f}
	default:
		b.masks = [4]uint32{0xff0000, 0xff00, 0xff}
	}
	if b.depth <= 8 {
		if stated == 0 || stated > 1<<b.depth {
			stated = 1 << b.depth
		}
		b.colors = min(stated, len(rest)/entry)
		if gap := (offset - file - size) / int64(entry); gap > 0 { // a palette shorter than its header states
			b.colors = min(b.colors, int(gap))
		}
		for i := range b.colors {
			p := rest[i*entry:]
			b.palette[i] = [4]byte{p[2], p[1], p[0], 0xff}
		}
	}
	for i := range b.palette {
		b.palette[i][3] = 0xff
	}
	if offset < file || offset > int64(len(data)) {
		offset = int64(len(data) - len(rest) + b.colors*entry)
	}
	b.pixels = data[offset:]
	return b, b.check()
}

// check returns an error for what cannot be decoded.
func (b *bmp) check() error {
	depths := map[int][]int{
		bmpPlain: {1, 2, 4, 8, 16, 24, 32}, bmpRLE8: {8}, bmpRLE4: {4}, bmpMasks: {16, 32}, bmpMasksA: {16, 32}, -bmpRLE24: {24},
	}[b.compression]
	for _, d := range depths {
		if d == b.depth {
			return nil
		}
	}
	switch b.compression {
	case 4:
		return unsupportedBMP("JPEG compression")
	case 5:
		return unsupportedBMP("PNG compression")
	}
	return unsupportedBMP("%d bits per pixel in compression %d", b.depth, b.compression)
}

func (i *Info) scanBMP(data []byte) (image.Config, error) {
	b, err := readBMP(data)
	if err != nil {
		return image.Config{}, err
	}
	config := image.Config{Width: b.size.X, Height: b.size.Y}
	i.kept = pixelCount(config) // the palette indexes of run lengths
	return config, nil
}

func decodeBMP(ctx context.Context, _ *Decoder, data []byte, i Info) (image.Image, error) {
	b, err := readBMP(data)
	if err != nil {
		return nil, err
	}
	m := image.NewNRGBA(image.Rectangle{Max: b.size})
	var rows int
	switch b.compression {
	case bmpRLE8, bmpRLE4, -bmpRLE24:
		rows = b.runs(ctx, m)
	default:
		rows = b.plain(ctx, m)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return i.accept(m, float64(rows)/float64(b.size.Y), nil)
}

// row returns the row of the picture at y, in the order in which rows are stored.
func (b *bmp) row(m *image.NRGBA, y int) []byte {
	if !b.topDown {
		y = b.size.Y - 1 - y
	}
	return m.Pix[y*m.Stride:][:4*b.size.X]
}

// plain decodes pixels without compression, and returns the number of complete rows.
func (b *bmp) plain(ctx context.Context, m *image.NRGBA) int {
	stride := (b.size.X*b.depth + 31) / 32 * 4
	used := (b.size.X*b.depth + 7) / 8 // without padding
	var channels [4]func(uint32) byte
	for c, mask := range b.masks {
		channels[c] = scaled(mask)
	}
	if b.masks[3] == 0 {
		channels[3] = func(uint32) byte { return 0xff }
	}
	for y := range b.size.Y {
		if len(b.pixels) < y*stride+used || ctx.Err() != nil {
			return y
		}
		in, out := b.pixels[y*stride:][:used], b.row(m, y)
		for x := range b.size.X {
			pixel := out[4*x : 4*x+4]
			switch b.depth {
			case 16:
				v := uint32(in[2*x]) | uint32(in[2*x+1])<<8
				pixel[0], pixel[1], pixel[2], pixel[3] = channels[0](v), channels[1](v), channels[2](v), channels[3](v)
			case 24:
				pixel[0], pixel[1], pixel[2], pixel[3] = in[3*x+2], in[3*x+1], in[3*x], 0xff
			case 32:
				v := binary.LittleEndian.Uint32(in[4*x:])
				pixel[0], pixel[1], pixel[2], pixel[3] = channels[0](v), channels[1](v), channels[2](v), channels[3](v)
			default:
				perByte := 8 / b.depth
				index := in[x/perByte] >> (8 - b.depth - x%perByte*b.depth) & (1<<b.depth - 1)
				copy(pixel, b.palette[index][:])
			}
		}
	}
	return b.size.Y
}

// scaled returns a function that returns the bits of a mask as 8 bits. Without a mask, it returns 0.
func scaled(mask uint32) func(uint32) byte {
	if mask == 0 {
		return func(uint32) byte { return 0 }
	}
	low := bits.TrailingZeros32(mask)
	most := uint64(mask >> low)
	return func(v uint32) byte { return byte((uint64(v&mask>>low)*255 + most/2) / most) }
}
