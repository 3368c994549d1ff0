package jpegfile

import (
	"encoding/binary"
	"errors"
)

var (
	errShort = errors.New("the data of the scan ends early")
	errCode  = errors.New("the scan contains an undefined code")
)

// bits reads the entropy-coded data of a scan up to the next marker.
type bits struct {
	data  []byte
	at    int
	left  uint64 // the next bits, from the highest
	count int    // number of bits in left; negative after reading beyond the end
}

// fill loads at least 32 bits, or all bits before the next marker.
func (b *bits) fill() {
	if b.at+8 <= len(b.data) && b.count >= 0 {
		next := binary.BigEndian.Uint64(b.data[b.at:])
		if none := ^next; (none-0x0101010101010101)&^none&0x8080808080808080 == 0 { // no byte is 0xff
			b.left |= next >> b.count // the bits that do not fill a byte are loaded again
			n := (63 - b.count) / 8
			b.at += n
			b.count += 8 * n
			return
		}
	}
	for b.count <= 56 && b.count >= 0 && b.at < len(b.data) {
		value := b.data[b.at]
		if value == 0xff {
			switch {
			case b.at+1 >= len(b.data):
				return
			case b.data[b.at+1] == 0xff: // fill byte
				b.at++
				continue
			case b.data[b.at+1] != 0:
				return // a marker
			}
			b.at++
		}
		b.at++
		b.left |= uint64(value) << (56 - b.count)
		b.count += 8
	}
}

// skip consumes n bits.
func (b *bits) skip(n int) error {
	b.left <<= n
	if b.count -= n; b.count < 0 {
		return errShort
	}
	return nil
}

// read returns the next n bits, at most 16.
func (b *bits) read(n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	if b.count < n {
		b.fill()
	}
	value := int(b.left >> (64 - n))
	return value, b.skip(n)
}

// extend reads n bits of a signed number (ITU-T T.81, F.2.2.1).
func (b *bits) extend(n int) (int, error) {
	value, err := b.read(n)
	if n > 0 && value < 1<<(n-1) {
		value += 1 - 1<<n
	}
	return value, err
}

// align discards the bits up to the next byte and returns the marker there, or 0.
func (b *bits) align() byte {
	b.left, b.count = 0, 0
	for b.at+1 < len(b.data) {
		if b.data[b.at] == 0xff && b.data[b.at+1] != 0 && b.data[b.at+1] != 0xff {
			return b.data[b.at+1]
		}
		b.at++
	}
	b.at = len(b.data)
	return 0
}

// quick is the maximum length of a code that is found in one step.
const quick = 9

// huffman is a table of codes (ITU-T T.81, annex C).
type huffman struct {
	quick   [1 << quick]uint16 // length << 8 | value, or 0
	largest [17]int            // largest code of each length, or -1
	first   [17]int            // index of the first value of each length minus its code
	values  []byte
	both    [1 << ahead]int32 // of AC codes with their numbers: number << 16 | zeros << 8 | length of both, or 0
}

// ahead is the maximum length of a code and its number that are found in one step.
const ahead = 10

// last is the number of zeros in huffman.both of the code for the end of a block.
const last = 64

// lookAhead fills both.
func (h *huffman) lookAhead() {
	for i := range h.both {
		b := bits{left: uint64(i) << (64 - ahead), count: ahead}
		symbol, err := b.symbol(h)
		zeros, n := symbol>>4, symbol&15
		if symbol == 0 {
			zeros = last
		} else if n == 0 {
			continue
		}
		if number, wrong := b.extend(n); err == nil && wrong == nil {
			h.both[i] = int32(number)<<16 | int32(zeros)<<8 | int32(ahead-b.count)
		}
	}
}

// newHuffman returns a table from the number of codes of each length from 1 to 16, and their values.
func newHuffman(counts, values []byte) (*huffman, error) {
	h := &huffman{values: values}
	code, index := 0, 0
	for length := 1; length <= 16; length++ {
		n := int(counts[length-1])
		h.first[length], h.largest[length] = index-code, -1
		if n > 0 {
			h.largest[length] = code + n - 1
		}
		if code+n > 1<<length {
			return nil, errors.New("a Huffman table has too many codes")
		}
		for ; n > 0; n-- {
			if length <= quick {
				for i := range 1 << (quick - length) {
					h.quick[code<<(quick-length)|i] = uint16(length)<<8 | uint16(values[index])
				}
			}
			code++
			index++
		}
		code <<= 1
	}
	return h, nil
}

// symbol reads a code and returns its value.
func (b *bits) symbol(h *huffman) (int, error) {
	if b.count < 16 {
		b.fill()
	}
	if entry := h.quick[b.left>>(64-quick)]; entry != 0 {
		return int(entry & 0xff), b.skip(int(entry >> 8))
	}
	for length := quick + 1; length <= 16; length++ {
		if code := int(b.left >> (64 - length)); code <= h.largest[length] {
			return int(h.values[h.first[length]+code]), b.skip(length)
		}
	}
	if b.count < 16 {
		return 0, errShort
	}
	return 0, errCode
}
