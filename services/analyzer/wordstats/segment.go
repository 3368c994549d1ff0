package wordstats

import "unicode/utf8"

const (
	// maxSegment is the longest segment, in bytes, that is looked at in one piece.
	maxSegment = 4 * maxWord
	// maxWord is the longest word, in bytes of its lower case, that is kept as it
	// is. Lower-casing shrinks a code point to a third of its bytes at most, so a
	// segment above maxSegment is above maxWord too.
	maxWord = 1024
)

// segment is a segment of UAX #29.
type segment struct {
	end      int   // where it ends in the buffer
	flags    uint8 // letterOrDigit, changesCase, beyondASCII: if any of its code points is so
	complete bool  // false when what follows could still make it longer
}

// beyondASCII joins the property byte of what is not ASCII. A byte that is not
// UTF-8 has changesCase, too: it reads as U+FFFD.
const beyondASCII = 0x80

// findSegment finds the segment that begins at a place in the buffer, of which to
// is the end. atEOF says that nothing follows.
func findSegment(b *buffer, at, to int, atEOF bool) segment {
	var flags, earlyFlags uint8
	early := 0 // where the segment ends if the open middle character is not of it
	state := uint8(stateStart)
	for at < to {
		c0 := b[at]
		p, size := propertyBlocks[c0&0x7F], 1 // the first two blocks are those of ASCII
		if c0 >= utf8.RuneSelf {
			if c1 := b[at+1]; c0 >= 0xC2 && c0 < 0xE0 && at+1 < to && c1&0xC0 == 0x80 {
				p, size = propertyBlocks[uint(propertyIndex[c0&0x1F])<<6|uint(c1&0x3F)]|beyondASCII, 2
			} else {
				p, size = propertyAt(b[at:min(at+utf8.UTFMax, to)])
				if size == 1 && !atEOF && !utf8.FullRune(b[at:to]) {
					return segment{}
				}
			}
		}
		next := wordBreaks[state&(stateMask|afterZWJ)][p&classMask]
		if next >= breaks {
			if next >= breaksEarly {
				at, flags = early, earlyFlags
			}
			return segment{end: at, flags: flags, complete: true}
		}
		if next&stateMask >= firstOpen && state&stateMask < firstOpen {
			early, earlyFlags = at, flags
		}
		state = next
		at += size
		flags |= p &^ classMask
	}
	if atEOF && state&stateMask >= firstOpen {
		at, flags = early, earlyFlags
	}
	return segment{end: at, flags: flags, complete: atEOF}
}

// propertyAt returns the property byte and the length of the code point beyond
// ASCII that data begins with; the length is 1 for a byte that begins none.
func propertyAt(data []byte) (uint8, int) {
	c0 := data[0]
	if len(data) >= 3 && c0&0xF0 == 0xE0 && data[1]&0xC0 == 0x80 && data[2]&0xC0 == 0x80 {
		block := uint(c0&0x0F)<<6 | uint(data[1]&0x3F)
		if block >= 0x800>>6 && block-0xD800>>6 >= 0x800>>6 { // neither overlong nor a surrogate
			return propertyBlocks[uint(propertyIndex[block])<<6|uint(data[2]&0x3F)] | beyondASCII, 3
		}
	}
	r, size := utf8.DecodeRune(data)
	if size == 1 {
		return classOther | changesCase | beyondASCII, 1
	}
	return property(r) | beyondASCII, size
}

// skipSeparators returns the place of the first byte from at that may be part of a
// word. It passes over ASCII which is a segment of its own and no word. Of the
// last it must know that no mark follows that would belong to it.
func skipSeparators(b *buffer, at, to int) int {
	for at+1 < to && b[at] < utf8.RuneSelf && kinds[b[at]]&isWordByte == 0 && (beginsNoMark(b[at+1]) || b[at+1] == ' ' && b[at] != ' ') {
		at++
	}
	return at
}

// beginsNoMark reports whether no code point that begins with the byte belongs to
// the segment before it: none has the class Extend or ZWJ, or is a space, which
// would make a longer segment with one before it.
func beginsNoMark(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf ||
		b >= 0xC3 && b <= 0xCB || b == 0xD0 || b == 0xD1 || // U+00C0 to U+02FF, U+0400 to U+047F
		b >= 0xE4 && b <= 0xE9 // U+4000 to U+9FFF
}
