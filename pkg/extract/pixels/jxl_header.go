package pixels

import (
	"encoding/binary"
	"errors"
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
)

const (
	unreadProfile = "the color profile of a lossless JPEG XL cannot be read, and the colors were taken for sRGB"
)

// jxlHeader is the beginning of a codestream (ISO/IEC 18181-1, annex D).
type jxlHeader struct {
	size                                  image.Config
	depth, extra                          int // bits per sample, number of extra channels
	animated, alpha, multiplied, xyb, icc bool
	white, primaries, transfer            int     // code points; 0 for others
	gamma                                 float64 // exponent of the encoding, or 0
}

// jxlBits reads a codestream from the least significant bit. It returns 0 after the end.
type jxlBits struct {
	data []byte
	at   int
}

func (b *jxlBits) u(n int) int {
	v := 0
	for k := range n {
		if at := b.at + k; at/8 < len(b.data) {
			v |= int(b.data[at/8]>>(at%8)&1) << k
		}
	}
	b.at += n
	return v
}

func (b *jxlBits) flag() bool { return b.u(1) == 1 }

// u32 reads a value with one of four distributions, each of which is an offset and a number of bits.
func (b *jxlBits) u32(d [4][2]int) int {
	chosen := d[b.u(2)]
	return chosen[0] + b.u(chosen[1])
}

func (b *jxlBits) enum() int { return b.u32([4][2]int{{0, 0}, {1, 0}, {2, 4}, {18, 6}}) }

func (b *jxlBits) size() image.Config {
	side := func(small bool) int {
		if small {
			return 8 * (1 + b.u(5))
		}
		return b.u32([4][2]int{{1, 9}, {1, 13}, {1, 18}, {1, 30}})
	}
	small := b.flag()
	height := side(small)
	ratio := b.u(3)
	if ratio == 0 {
		return image.Config{Width: side(small), Height: height}
	}
	of := [8][2]int{1: {1, 1}, 2: {12, 10}, 3: {4, 3}, 4: {3, 2}, 5: {16, 9}, 6: {5, 4}, 7: {2, 1}}[ratio]
	return image.Config{Width: height * of[0] / of[1], Height: height}
}

func (b *jxlBits) depth() int {
	if b.flag() { // floating point
		d := b.u32([4][2]int{{32, 0}, {16, 0}, {24, 0}, {1, 6}})
		b.u(4)
		return d
	}
	return b.u32([4][2]int{{8, 0}, {10, 0}, {12, 0}, {1, 6}})
}

func readJXL(data []byte) (h jxlHeader, err error) {
	if len(data) < 4 || binary.BigEndian.Uint16(data) != 0xff0a {
		return h, errors.New("the file has no codestream")
	}
	b := &jxlBits{data: data, at: 16}
	h.size = b.size()
	h.depth, h.white, h.primaries, h.transfer, h.xyb = 8, 1, 1, 13, true
	if !b.flag() {
		b.metadata(&h)
	}
	if b.at > 8*len(data) {
		return h, errors.New("the header is truncated")
	}
	return h, nil
}

func (b *jxlBits) metadata(h *jxlHeader) {
	if b.flag() {
		b.u(3) // the orientation, which the decoder applies
		if b.flag() {
			b.size() // intrinsic size
		}
		if b.flag() {
			b.preview()
		}
		if h.animated = b.flag(); h.animated {
			b.u32([4][2]int{{100, 0}, {1000, 0}, {1, 10}, {1, 30}})
			b.u32([4][2]int{{1, 0}, {1001, 0}, {1, 8}, {1, 10}})
			b.u32([4][2]int{{0, 0}, {0, 3}, {0, 16}, {0, 32}})
			b.flag()
		}
	}
	h.depth = b.depth()
	b.flag() // whether buffers of 16 bits suffice
	h.extra = b.u32([4][2]int{{0, 0}, {1, 0}, {2, 4}, {1, 12}})
	for range h.extra {
		if b.at > 8*len(b.data) {
			return
		}
		b.channel(h)
	}
	h.xyb = b.flag()
	if !b.flag() {
		b.color(h)
	}
}

func (b *jxlBits) preview() {
	small := b.flag()
	side := func() {
		if small {
			b.u32([4][2]int{{16, 0}, {32, 0}, {1, 5}, {33, 9}})
			return
		}
		b.u32([4][2]int{{1, 6}, {65, 8}, {321, 10}, {1345, 12}})
	}
	if side(); b.u(3) == 0 {
		side()
	}
}

// channel reads the description of an extra channel.
func (b *jxlBits) channel(h *jxlHeader) {
	const alpha, spot, cfa = 0, 2, 5
	if b.flag() {
		h.alpha = true
		return
	}
	kind := b.enum()
	b.depth()
	b.u32([4][2]int{{0, 0}, {3, 0}, {4, 0}, {1, 3}})
	b.at += 8 * b.u32([4][2]int{{0, 0}, {0, 4}, {16, 5}, {48, 10}}) // the name
	switch kind {
	case alpha:
		h.alpha = true
		h.multiplied = b.flag() || h.multiplied
	case spot:
		b.u(4 * 16)
	case cfa:
		b.u32([4][2]int{{1, 0}, {0, 2}, {3, 4}, {19, 8}})
	}
}

// color reads a color encoding.
func (b *jxlBits) color(h *jxlHeader) {
	const gray, xyb, custom = 1, 2, 2
	h.icc = b.flag()
	space := b.enum()
	if h.icc || space == xyb {
		return
	}
	point := func() {
		for range 2 {
			b.u32([4][2]int{{0, 19}, {524288, 19}, {1048576, 20}, {2097152, 21}})
		}
	}
	if h.white = b.enum(); h.white == custom {
		point()
	}
	if space != gray {
		if h.primaries = b.enum(); h.primaries == custom {
			for range 3 {
				point()
			}
			h.primaries = 0
		}
	}
	if b.flag() {
		h.gamma, h.transfer = float64(b.u(24))/1e7, 0
		return
	}
	h.transfer = b.enum()
}

// setJXLColor sets the color space of the samples that libjxl returns: sRGB for a lossy picture with a profile, or else
// the one that the header states.
func (i *Info) setJXLColor(h jxlHeader) {
	const dci, p3, displayP3 = 11, 11, 12
	switch {
	case h.icc && h.xyb:
		return
	case h.icc:
		i.remarks = append(i.remarks, unreadProfile)
		return
	}
	if h.primaries == p3 && h.white != dci {
		h.primaries = displayP3
	}
	if h.gamma <= 0 {
		i.setCodePoints(h.primaries, h.transfer)
		return
	}
	if p, known := codedPrimaries(h.primaries); known {
		i.setSpace(p, icc.Gamma(1/h.gamma))
	}
}
