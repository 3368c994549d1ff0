package wordstats

import (
	"math/bits"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// Classes of ASCII bytes under the rules of UAX #29.
const (
	isLetter     = 1 << iota
	isDigit      // Numeric
	isLine       // ExtendNumLet
	joinsLetters // MidLetter, MidNumLet, Single_Quote: WB6 and WB7
	joinsDigits  // MidNum, MidNumLet, Single_Quote: WB11 and WB12
	isWordByte   = isLetter | isDigit | isLine
	isMiddle     = joinsLetters | joinsDigits
)

var kinds = newKinds()

func newKinds() *[256]uint8 {
	var k [256]uint8
	for b := range 128 {
		switch property(rune(b)) & classMask {
		case classALetter:
			k[b] = isLetter
		case classNumeric:
			k[b] = isDigit
		case classExtendNumLet:
			k[b] = isLine
		case classMidLetter:
			k[b] = joinsLetters
		case classMidNum:
			k[b] = joinsDigits
		case classMidNumLet, classSingleQuote:
			k[b] = joinsLetters | joinsDigits
		}
	}
	return &k
}

// joined reports whether the byte middle joins the word bytes around it.
func joined(before, middle, after byte) bool {
	b, a := kinds[before], kinds[after]
	return b&a&isLetter != 0 && kinds[middle]&joinsLetters != 0 ||
		b&a&isDigit != 0 && kinds[middle]&joinsDigits != 0
}

// scanASCII counts the words of the buffer from at, the start of a segment, to the first segment
// that is not all ASCII. It returns the position of that segment, which is at if the first segment
// is long or not all ASCII.
func (c *counter) scanASCII(at, to int, atEOF bool) (int, error) {
	for at < to {
		end := min(at+simd.ChunkSize, to)
		n, stop := c.findEdges(at, end)
		boundary := stop
		if stop < to || !atEOF {
			boundary = c.lastBoundary(at, stop)
			for n > 0 && int(c.edges[n-2]) >= boundary {
				n -= 2
			}
		}
		if err := c.countASCII(n); err != nil {
			return at, err
		}
		if boundary == at || stop < end {
			return boundary, nil
		}
		at = boundary
	}
	return at, nil
}

// findEdges stores in edges, alternately, where the ASCII words from at to end begin and end. It
// returns the number of edges and the position where it stopped: end, or the first byte that is not
// ASCII.
func (c *counter) findEdges(at, end int) (n, stop int) {
	blocks := c.kernel.Classify(c.buffer[at:], c.masks[:(end-at+simd.BlockSize-1)/simd.BlockSize])
	var before, beforeOther uint64 // masks of the previous block
	for i := range c.masks[:blocks] {
		m := &c.masks[i]
		base := at + i*simd.BlockSize
		word, other := m.Word, m.Other
		stop = base + simd.BlockSize
		if m.Alien != 0 {
			stop = base + bits.TrailingZeros64(m.Alien)
		}
		stop = min(stop, end)
		if left := stop - base; left < simd.BlockSize {
			word &= 1<<left - 1
		}
		change := word ^ (word<<1 | before>>63)
		// Bytes between two word bytes, at the position of the second word byte.
		between := (other<<1 | beforeOther>>63) & (word<<2 | before>>62) & word
		for ; between != 0; between &= between - 1 {
			j := bits.TrailingZeros64(between)
			if p := base + j; !joined(c.buffer[p-2], c.buffer[p-1], c.buffer[p]) {
				continue
			}
			if j == 0 { // the preceding word end is in the previous block
				c.changes[i-1] &^= 1 << (simd.BlockSize - 1)
				change &^= 1
			} else {
				change &^= 3 << (j - 1)
			}
		}
		before, beforeOther = word, other
		c.changes[i] = change
		if stop < base+simd.BlockSize {
			break
		}
	}
	n = c.kernel.Places(c.changes[:blocks], at, &c.edges)
	if n%2 == 1 {
		c.edges[n] = uint16(stop)
		n++
	}
	return n, stop
}

// lastBoundary returns the last position up to stop where a segment begins regardless of what follows
// stop. A segment begins at at, and all bytes from at to stop are ASCII.
func (c *counter) lastBoundary(at, stop int) int {
	b := c.buffer
	i := stop
	for i > at {
		last := b[i-1]
		switch {
		case kinds[last]&isWordByte != 0:
		case kinds[last]&isMiddle != 0 && i-1 > at && kinds[b[i-2]]&isWordByte != 0 && (i == stop || joined(b[i-2], last, b[i])):
		case i < stop:
			return i
		default: // marks or more spaces may follow and extend the segment
			for last == ' ' && i-1 > at && b[i-2] == ' ' {
				i--
			}
			return i - 1
		}
		i--
	}
	return at
}

// countASCII counts the words between the first n edges: the kernel counts those of up to 8 bytes,
// and the others are added to the batch.
func (c *counter) countASCII(n int) error {
	edges := c.edges[:n]
	missed := c.kernel.CountShort(&c.vocabulary.short.Table, c.buffer, edges, &c.finds)
	for _, i := range c.finds.Missed[:missed] {
		if err := c.addASCII(edges[i], edges[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// addASCII counts the ASCII word in the buffer from start to end.
func (c *counter) addASCII(start, end uint16) error {
	if length := end - start; length > 16 {
		if length > maxWord {
			return c.addLong(c.buffer[start:end])
		}
		for i, letter := range c.buffer[start:end] {
			c.folded[i] = letter | 0x20
		}
		return c.vocabulary.add(c.folded[:length])
	}
	if !c.batch.hasRoom(1) {
		if err := c.vocabulary.count(&c.batch); err != nil {
			return err
		}
	}
	c.batch.push(c.buffer, start, end, simd.Small)
	return nil
}
