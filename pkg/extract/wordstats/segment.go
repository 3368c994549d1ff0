package wordstats

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

const (
	// maxSegment is the maximum length of a segment that is processed at once, in bytes.
	maxSegment = 4 * maxWord
	// maxWord is the maximum length of a lower-case word that is stored unchanged, in bytes.
	// Lower-casing shrinks a code point to no less than a third of its bytes, so the word of a segment
	// longer than maxSegment is longer than maxWord too.
	maxWord = 1024
)

// segments are consecutive segments of UAX #29 in the buffer.
type segments struct {
	ends  [segmentsAtOnce]uint16
	flags [segmentsAtOnce]uint8 // properties that at least one code point of the segment has
	// malformed is set when find encounters a byte that is not UTF-8.
	malformed bool
}

const segmentsAtOnce = 256

// beyondASCII is set in the property byte of non-ASCII code points. An invalid byte also has
// changesCase, since it is read as U+FFFD.
const beyondASCII = 0x80

// find finds segments from position at, where a segment begins. It stops when the slices are full
// or at the next run of ASCII. to is the end of the buffer; with atEOF nothing follows it. It
// returns the number of segments and the end of the last one. The number is 0 if what follows could
// extend the first segment.
func (s *segments) find(b *simd.Buffer, at, to int, atEOF bool) (n, end int) {
	var flags, earlyFlags uint8
	early := 0 // the end of the segment without the open middle character
	state := uint8(stateStart)
	end = at
	rules := wordBreaks
	for at < to {
		var p uint8
		size := 1
		c := uint(binary.LittleEndian.Uint32(b[uint16(at):][:4]))
		switch {
		case c&0x80 == 0:
			p = propertyBlocks[c&0x7F] // the first two blocks are ASCII
		case c&0xC0E0 == 0x80C0 && c&0x1E != 0 && at+2 <= to:
			p, size = propertyBlocks[uint(propertyIndex[c&0x1F])<<6|c>>8&0x3F]|beyondASCII, 2
		case c&0xC0C0F0 == 0x8080E0 && isThree(c) && at+3 <= to:
			p, size = propertyBlocks[uint(propertyIndex[c&0xF<<6|c>>8&0x3F])<<6|c>>16&0x3F]|beyondASCII, 3
		default:
			p, size = propertyAt(b[at:min(at+utf8.UTFMax, to)])
			if size == 1 {
				if !atEOF && !utf8.FullRune(b[at:to]) {
					return n, end
				}
				s.malformed = true
			}
		}
		next := rules[state&(stateMask|afterZWJ)][p&classMask]
		// The state rarely changes. A processor that predicts this does not wait for the table.
		if next != state {
			switch {
			case next >= breaks:
				again := next >= breaksEarly
				if again {
					at, flags = early, earlyFlags
				}
				s.ends[n], s.flags[n] = uint16(at), flags
				n, end = n+1, at
				if n == segmentsAtOnce || asciiFollows(b, at, to) {
					return n, end
				}
				flags = 0
				if again {
					state = stateStart
					continue
				}
				next &^= breaks
			case next&stateMask >= firstOpen && state&stateMask < firstOpen:
				early, earlyFlags = at, flags
			}
			state = next
		}
		at += size
		flags |= p &^ classMask
	}
	if atEOF && end < to {
		if state&stateMask >= firstOpen {
			at, flags = early, earlyFlags
		}
		s.ends[n], s.flags[n] = uint16(at), flags
		n, end = n+1, at
	}
	return n, end
}

// isThree reports whether c, three bytes of UTF-8 with the first one lowest, is a code point:
// neither an overlong encoding nor a surrogate.
func isThree(c uint) bool {
	block := c&0xF<<6 | c>>8&0x3F
	return block >= 0x800>>6 && block-0xD800>>6 >= 0x800>>6
}

// propertyAt returns the property byte and the length of the non-ASCII code point at the start of
// data. The length of an invalid byte is 1.
func propertyAt(data []byte) (uint8, int) {
	r, size := utf8.DecodeRune(data)
	if size == 1 {
		return classOther | changesCase | beyondASCII, 1
	}
	return property(r) | beyondASCII, size
}

// beginsNoMark reports whether no code point with this first byte extends the previous segment: none
// has the class Extend or ZWJ, or is a space, which would join a preceding space.
func beginsNoMark(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf ||
		b >= 0xC3 && b <= 0xCB || b == 0xD0 || b == 0xD1 || // U+00C0 to U+02FF, U+0400 to U+047F
		b >= 0xE4 && b <= 0xE9 // U+4000 to U+9FFF
}
