package jpegfile

import (
	"encoding/binary"
	"errors"
	"image"
	mathbits "math/bits"
)

// Encode returns m, an *image.YCbCr, *image.Gray or opaque *image.RGBA with bounds that begin at (0, 0), as a JPEG of
// quality 1 to 100. Chroma is subsampled in both directions. The file is the same as that of image/jpeg, which takes
// about three times the time.
func Encode(m image.Image, quality int) ([]byte, error) {
	size := m.Bounds().Size()
	if size.X < 1 || size.Y < 1 || size.X > 0xffff || size.Y > 0xffff {
		return nil, errors.New("a side is not between 1 and 65535 pixels")
	}
	e := newEncoder(quality)
	e.out = make([]byte, 0, 1024+size.X*size.Y/4)
	lines := newStrip(size.X)
	switch m := m.(type) {
	case *image.Gray:
		e.header(size, 1)
		for y := 0; y < size.Y; y += 8 {
			lines.gray(m, y)
			for x := 0; x < size.X; x += 8 {
				e.block(0, lines.luma[x:], lines.width)
			}
		}
		return e.end(), nil
	case *image.YCbCr:
		e.header(size, 3)
		for y := 0; y < size.Y; y += 16 {
			lines.ycbcr(m, y)
			e.strip(lines)
		}
		return e.end(), nil
	case *image.RGBA:
		e.header(size, 3)
		for y := 0; y < size.Y; y += 16 {
			lines.rgba(m, y)
			e.strip(lines)
		}
		return e.end(), nil
	}
	return nil, errors.ErrUnsupported
}

// encoder writes a file. Arrays with two elements are those of luma and chroma.
type encoder struct {
	out     []byte
	left    uint64 // bits that are not in out yet, from the lowest
	count   int    // number of bits in left, less than 32 between calls of put
	tables  [2][64]byte
	inverse [2][64]uint32 // 1 << 32 divided by 8 times the quantization, rounded up
	half    [2][64]uint32 // 4 times the quantization
	dc, ac  [2][256]word
	last    [3]int32 // last DC coefficient of each component
}

// word is a Huffman code.
type word struct{ code, length uint32 }

func newEncoder(quality int) *encoder {
	e := &encoder{tables: standard()}
	scale := 200 - 2*quality // as libjpeg does
	if quality < 50 {
		scale = 5000 / quality
	}
	for i := range e.tables {
		for k := range e.tables[i] {
			q := min(max((int(e.tables[i][k])*scale+50)/100, 1), 255)
			e.tables[i][k], e.inverse[i][k], e.half[i][k] = byte(q), uint32((1<<32)/(8*q)+1), uint32(4*q)
		}
	}
	for i, c := range codes() {
		words := &e.dc[i/2]
		if i%2 == 1 {
			words = &e.ac[i/2]
		}
		next, at := uint32(0), 0
		for length, n := range c.counts {
			for range n {
				words[c.values[at]] = word{next, uint32(length) + 1}
				next++
				at++
			}
			next <<= 1
		}
	}
	return e
}

func (e *encoder) segment(marker byte, size int) {
	e.out = append(e.out, 0xff, marker, byte((size+2)>>8), byte(size+2))
}

func (e *encoder) header(size image.Point, components int) {
	e.out = append(e.out, 0xff, markerSOI)
	e.segment(markerDQT, 2*65)
	for i := range e.tables {
		e.out = append(append(e.out, byte(i)), e.tables[i][:]...)
	}
	e.segment(markerSOF0, 6+3*components)
	e.out = append(e.out, 8, byte(size.Y>>8), byte(size.Y), byte(size.X>>8), byte(size.X), byte(components))
	factors, tables := [3]byte{0x22, 0x11, 0x11}, [3]byte{0, 1, 1}
	if components == 1 {
		factors[0] = 0x11
	}
	for i := range components {
		e.out = append(e.out, byte(i+1), factors[i], tables[i])
	}
	all := codes()
	used, length := all[:min(2*components, len(all))], 0
	for _, c := range used {
		length += 17 + len(c.values)
	}
	e.segment(markerDHT, length)
	for i, c := range used {
		e.out = append(e.out, byte(i%2<<4|i/2))
		e.out = append(append(e.out, c.counts[:]...), c.values...)
	}
	e.segment(markerSOS, 4+2*components)
	e.out = append(e.out, byte(components))
	for i := range components {
		e.out = append(e.out, byte(i+1), tables[i]*0x11)
	}
	e.out = append(e.out, 0, 63, 0)
}

// end returns the file. The last byte is filled with ones.
func (e *encoder) end() []byte {
	e.put(0x7f, 7)
	for ; e.count >= 8; e.count -= 8 {
		e.stuff(byte(e.left >> (e.count - 8)))
	}
	return append(e.out, 0xff, markerEOI)
}

// put writes the lowest n bits of value, at most 32. The others must be 0.
func (e *encoder) put(value uint32, n int) {
	e.left = e.left<<n | uint64(value)
	if e.count += n; e.count < 32 {
		return
	}
	e.count -= 32
	next := uint32(e.left >> e.count)
	if none := ^next; (none-0x01010101)&^none&0x80808080 != 0 { // a byte is 0xff
		for shift := 24; shift >= 0; shift -= 8 {
			e.stuff(byte(next >> shift))
		}
		return
	}
	e.out = binary.BigEndian.AppendUint32(e.out, next)
}

// stuff writes a byte of entropy-coded data.
func (e *encoder) stuff(b byte) {
	if e.out = append(e.out, b); b == 0xff {
		e.out = append(e.out, 0)
	}
}

// strip writes 16 lines, which consist of units of four blocks of luma and two of chroma.
func (e *encoder) strip(s *strip) {
	for x := 0; x < s.width; x += 16 {
		for _, at := range [4]int{x, x + 8, 8*s.width + x, 8*s.width + x + 8} {
			e.block(0, s.luma[at:], s.width)
		}
		e.block(1, s.cb[x/2:], s.width/2)
		e.block(2, s.cr[x/2:], s.width/2)
	}
}

// block writes the block of a component that begins with the first sample.
func (e *encoder) block(component int, samples []byte, stride int) {
	var c [64]int32
	forward(&c, samples, stride)
	kind := min(component, 1)
	inverse, half := &e.inverse[kind], &e.half[kind]
	var values [64]int32
	var set uint64 // the values in the order of the file that are not 0
	for k := range values {
		v := c[zigzag[k]&63]
		sign := v >> 31
		n := int32((uint64(uint32((v^sign)-sign)+half[k]) * uint64(inverse[k])) >> 32) // exact, because the dividend is less than 1 << 15
		values[k] = (n ^ sign) - sign
		set |= uint64(uint32(-n)>>31) << k
	}
	difference := values[0] - e.last[component]
	e.last[component] = values[0]
	n := magnitude(difference)
	w := e.dc[kind][n]
	e.put(w.code<<n|extra(difference, n), int(w.length)+n)
	words, last := &e.ac[kind], 0
	for set &^= 1; set != 0; set &= set - 1 {
		k := mathbits.TrailingZeros64(set)
		zeros := k - last - 1
		for ; zeros > 15; zeros -= 16 {
			e.put(words[0xf0].code, int(words[0xf0].length))
		}
		v := values[k&63]
		n := magnitude(v)
		w := words[(zeros<<4|n)&0xff]
		e.put(w.code<<n|extra(v, n), int(w.length)+n)
		last = k
	}
	if last < 63 {
		e.put(words[0].code, int(words[0].length))
	}
}

// magnitude returns the number of bits of the absolute value.
func magnitude(v int32) int { return mathbits.Len32(uint32((v ^ v>>31) - v>>31)) }

// extra returns the n bits that tell v from the other values of its magnitude (ITU-T T.81, F.1.2.1).
func extra(v int32, n int) uint32 { return uint32(v+v>>31) & (1<<n - 1) }
