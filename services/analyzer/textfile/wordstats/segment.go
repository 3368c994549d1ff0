package wordstats

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/assay-project/assay/services/analyzer/textfile/wordstats/simd"
)

const (
	// maxSegment is the longest segment, in bytes, that is processed in one piece.
	maxSegment = 4 * maxWord
	// maxWord is the longest word, in bytes of its lower case, that is stored unchanged.
	// Lower-casing shrinks a code point to a third of its bytes at most, so a segment above
	// maxSegment is above maxWord too.
	maxWord = 1024
)

// segments are consecutive segments of UAX #29 in the buffer.
type segments struct {
	ends  [segmentsAtOnce]uint16
	flags [segmentsAtOnce]uint8 // letterOrDigit, changesCase, beyondASCII: set if any code point has the property
	// malformed is set when find encounters a byte that is not UTF-8.
	malformed bool
}

const segmentsAtOnce = 256

// beyondASCII is added to the property byte of code points other than ASCII. A byte that is not
// UTF-8 also has changesCase: it reads as U+FFFD.
const beyondASCII = 0x80

// find finds segments from a position in the buffer where one begins: as many as fit, up to where a
// run of ASCII follows. to is the end of the buffer, and atEOF means that nothing follows it. It
// returns how many it found, none if later text could extend the first, and where the last ends.
func (s *segments) find(b *simd.Buffer, at, to int, atEOF bool) (n, end int) {
	var flags, earlyFlags uint8
	early := 0 // where the segment ends if the open middle character is not of it
	state := uint8(stateStart)
	end = at
	rules := wordBreaks
	for at < to {
		var p uint8
		size := 1
		c := uint(binary.LittleEndian.Uint32(b[uint16(at):][:4]))
		switch {
		case c&0x80 == 0:
			p = propertyBlocks[c&0x7F] // the first two blocks are those of ASCII
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
		// The state is usually unchanged: a processor that predicts this does not wait for the
		// table.
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

// isThree reports whether three bytes in the form of UTF-8 are a code point: neither an overlong
// encoding nor a surrogate. The first byte is the lowest of c.
func isThree(c uint) bool {
	block := c&0xF<<6 | c>>8&0x3F
	return block >= 0x800>>6 && block-0xD800>>6 >= 0x800>>6
}

// propertyAt returns the property byte and the length of the code point beyond ASCII at the start
// of data; the length is 1 for an invalid byte.
func propertyAt(data []byte) (uint8, int) {
	r, size := utf8.DecodeRune(data)
	if size == 1 {
		return classOther | changesCase | beyondASCII, 1
	}
	return property(r) | beyondASCII, size
}

// beginsNoMark reports whether no code point that begins with the byte belongs to the segment
// before it: none has the class Extend or ZWJ, or is a space, which would join a space before it.
func beginsNoMark(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf ||
		b >= 0xC3 && b <= 0xCB || b == 0xD0 || b == 0xD1 || // U+00C0 to U+02FF, U+0400 to U+047F
		b >= 0xE4 && b <= 0xE9 // U+4000 to U+9FFF
}
