package wordstats

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	// maxSegment is the longest segment, in bytes, that is looked at in one piece.
	maxSegment = 4 * maxWord
	// maxWord is the longest word, in bytes of its lower case, that is kept as it
	// is. Lower-casing shrinks a code point to a third of its bytes at most, so a
	// segment above maxSegment is above maxWord too.
	maxWord = 1024
)

// segments are segments of UAX #29 that follow one another in the buffer.
type segments struct {
	ends  [segmentsAtOnce]uint16
	flags [segmentsAtOnce]uint8 // letterOrDigit, changesCase, beyondASCII: if any code point is so
	// malformed is set when find meets a byte that is not UTF-8.
	malformed bool
}

const segmentsAtOnce = 256

// beyondASCII joins the property byte of what is not ASCII. A byte that is not
// UTF-8 has changesCase, too: it reads as U+FFFD.
const beyondASCII = 0x80

// find finds segments from a place in the buffer, where one begins, as many as
// there is room for and up to where only ASCII follows for a while. to is the end of the
// buffer, and atEOF says that nothing follows that. It returns how many it found, none
// if what follows could still make the first longer, and where the last ends.
func (s *segments) find(b *buffer, at, to int, atEOF bool) (n, end int) {
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
		// In most places it is as it was: a processor that foresees this need not wait
		// for the table to go on.
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

// isThree reports whether three bytes that look like UTF-8 are a code point: neither an
// overlong one nor a surrogate. The first of them is the lowest of c.
func isThree(c uint) bool {
	block := c&0xF<<6 | c>>8&0x3F
	return block >= 0x800>>6 && block-0xD800>>6 >= 0x800>>6
}

// propertyAt returns the property byte and the length of the code point beyond
// ASCII that data begins with; the length is 1 for a byte that begins none.
func propertyAt(data []byte) (uint8, int) {
	r, size := utf8.DecodeRune(data)
	if size == 1 {
		return classOther | changesCase | beyondASCII, 1
	}
	return property(r) | beyondASCII, size
}

// beginsNoMark reports whether no code point that begins with the byte belongs to
// the segment before it: none has the class Extend or ZWJ, or is a space, which
// would make a longer segment with one before it.
func beginsNoMark(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf ||
		b >= 0xC3 && b <= 0xCB || b == 0xD0 || b == 0xD1 || // U+00C0 to U+02FF, U+0400 to U+047F
		b >= 0xE4 && b <= 0xE9 // U+4000 to U+9FFF
}
