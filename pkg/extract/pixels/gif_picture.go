package pixels

import (
	"context"
	"errors"
	"fmt"
	"image"
)

// gifPicture is the compressed picture of a frame.
type gifPicture struct {
	size        image.Point
	colors      [][3]byte
	transparent int // index of the transparent color, or −1
	interlaced  bool
	width       int // bits of the first codes, without the one for the two special codes
	parts       [][]byte
	tolerant    bool         // accept a frame that ends early
	lost        func(string) // reports what is missing
}

// fewMissing is the inverse of the share of pixels that may be missing at the end of a frame.
const fewMissing = 64

// decode returns the pixels. Indexes outside of the palette are black.
func (g gifPicture) decode(ctx context.Context, _ *codecs) (*image.NRGBA, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	indexes := make([]byte, g.size.X*g.size.Y)
	n, err := unpackLZW(indexes, g.parts, g.width)
	if err != nil && !(g.tolerant && n > 0) {
		return nil, err
	}
	if missing := len(indexes) - n; missing > 0 {
		if !g.tolerant && missing > len(indexes)/fewMissing {
			return nil, errors.New("the frame ends early")
		}
		g.lost(fmt.Sprintf("%d%% of a frame are missing", (100*missing+len(indexes)-1)/len(indexes)))
	}
	var colors [256][4]byte
	for i := range colors {
		colors[i][3] = 0xff
		if i < len(g.colors) {
			copy(colors[i][:3], g.colors[i][:])
		} else if g.colors == nil && i > 0 {
			colors[i] = [4]byte{0xff, 0xff, 0xff, 0xff}
		}
	}
	if g.transparent >= 0 {
		colors[g.transparent] = [4]byte{}
	}
	m := image.NewNRGBA(image.Rectangle{Max: g.size})
	for i, y := range g.rows() {
		row := m.Pix[y*m.Stride:]
		for x, index := range indexes[i*g.size.X:][:g.size.X] {
			copy(row[4*x:4*x+4], colors[index][:])
		}
	}
	return m, nil
}

// rows returns the row of the picture for each stored row.
func (g gifPicture) rows() []int {
	rows := make([]int, 0, g.size.Y)
	passes := [][2]int{{0, 1}} // first row and distance
	if g.interlaced {
		passes = [][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
	}
	for _, pass := range passes {
		for y := pass[0]; y < g.size.Y; y += pass[1] {
			rows = append(rows, y)
		}
	}
	return rows
}

// unpackLZW decompresses the parts into out and returns the number of bytes. It stops at the end of out, of the parts or
// of the data. compress/lzw is not used because it returns nothing of a part with an invalid code.
func unpackLZW(out []byte, parts [][]byte, width int) (n int, err error) {
	const most = 1 << 12
	if width < 1 || width > 11 {
		return 0, errors.New("the size of the codes is invalid")
	}
	var (
		reset, end = 1 << width, 1<<width + 1
		next, bits = end + 1, width + 1
		prefix     [most]uint16
		last       [most]byte
		stack      [most + 1]byte
		before     = -1
		first      byte
		buffer     uint32
		held       int
	)
	for _, part := range parts {
		for _, b := range part {
			buffer |= uint32(b) << held
			held += 8
			for held >= bits {
				code := int(buffer & (1<<bits - 1))
				buffer >>= bits
				held -= bits
				switch {
				case code == reset:
					next, bits, before = end+1, width+1, -1
					continue
				case code == end:
					return n, nil
				case before < 0 && code > end || code > next:
					return n, errors.New("invalid code in a frame")
				}
				at, c := len(stack), code
				if code == next && before >= 0 { // not yet defined: the string before and its first byte
					at--
					stack[at] = first
					c = before
				}
				for c > end {
					at--
					stack[at] = last[c]
					c = int(prefix[c])
				}
				at--
				first = byte(c)
				stack[at] = first
				n += copy(out[n:], stack[at:])
				if n == len(out) {
					return n, nil
				}
				if before >= 0 && next < most {
					prefix[next], last[next] = uint16(before), first
					if next++; next == 1<<bits && bits < 12 {
						bits++
					}
				}
				before = code
			}
		}
	}
	return n, nil
}
