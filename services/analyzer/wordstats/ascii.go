package wordstats

import "encoding/binary"

// Kinds of ASCII bytes in the rules of UAX #29.
const (
	isLetter       = 1 << iota
	isDigit        // Numeric
	isLine         // ExtendNumLet
	joinsLetters   // MidLetter, MidNumLet, Single_Quote: WB6 and WB7
	joinsDigits    // MidNum, MidNumLet, Single_Quote: WB11 and WB12
	isWordByte     = isLetter | isDigit | isLine
	isMiddle       = joinsLetters | joinsDigits
	chunkSize      = 4096 // bytes whose masks and edges stay in the first-level cache
	chunkBlocks    = chunkSize / blockSize
	bufferCapacity = 1 << 16                    // so that a uint16 is always within
	bufferSize     = bufferCapacity - blockSize // the last block can be read whole
)

// buffer holds text. Sixteen bytes can be read from any place that a uint16 names.
type buffer [bufferCapacity + 16]byte

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

// joined reports whether the byte middle holds the word bytes around it together.
func joined(before, middle, after byte) bool {
	b, a := kinds[before], kinds[after]
	return b&a&isLetter != 0 && kinds[middle]&joinsLetters != 0 ||
		b&a&isDigit != 0 && kinds[middle]&joinsDigits != 0
}

// scanASCII counts the words of the buffer from at, where a segment begins and
// there is ASCII, as far as ASCII goes. It returns where: the start of a segment,
// which may be at itself when that segment is long or has more than ASCII.
func (c *counter) scanASCII(at, to int, atEOF bool) (int, error) {
	for at < to {
		end := min(at+chunkSize, to)
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

// findEdges fills edges with where the words of ASCII from at to end begin and
// end, in turn, and returns how many it filled and where it stopped: end, or the
// first alien byte.
func (c *counter) findEdges(at, end int) (n, stop int) {
	blocks := c.kernel.classify(c.buffer[at:], c.masks[:(end-at+blockSize-1)/blockSize])
	var before, beforeOther uint64 // masks of the block before
	for i := range c.masks[:blocks] {
		m := &c.masks[i]
		base := at + i*blockSize
		word, other := m.word, m.other
		stop = base + blockSize
		if m.alien != 0 {
			stop = base + lowest(m.alien)
		}
		stop = min(stop, end)
		if left := stop - base; left < blockSize {
			word &= 1<<left - 1
		}
		change := word ^ (word<<1 | before>>63)
		// Bytes that stand between two word bytes, at the place of the second.
		between := (other<<1 | beforeOther>>63) & (word<<2 | before>>62) & word
		for ; between != 0; between &= between - 1 {
			j := lowest(between)
			if p := base + j; !joined(c.buffer[p-2], c.buffer[p-1], c.buffer[p]) {
				continue
			}
			if j == 0 { // the end before is in the block before
				c.changes[i-1] &^= 1 << (blockSize - 1)
				change &^= 1
			} else {
				change &^= 3 << (j - 1)
			}
		}
		before, beforeOther = word, other
		c.changes[i] = change
		if stop < base+blockSize {
			break
		}
	}
	n = c.kernel.places(c.changes[:blocks], at, &c.edges)
	if n%2 == 1 {
		c.edges[n] = uint16(stop)
		n++
	}
	return n, stop
}

// lastBoundary returns the last place up to stop where a segment begins, whatever
// follows stop. at is such a place, and there is ASCII between.
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
		default: // what follows may be marks that belong to the last byte, or to a run of spaces
			for last == ' ' && i-1 > at && b[i-2] == ' ' {
				i--
			}
			return i - 1
		}
		i--
	}
	return at
}

// small makes ASCII letters small in eight bytes; see vocabulary.
const small = 0x20 * each01

// lowBytes are masks for the first bytes of eight, by how many they are; all of
// them above.
var lowBytes = [16]uint64{
	0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
	1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1,
}

// countASCII counts the words between the first n edges. Nearly all are known
// already, and these are counted without a branch: first those of up to 8 bytes,
// then, of what was missed, those of up to 16. So the processor looks for many
// words at once, which matters most when the vocabulary is larger than its caches.
func (c *counter) countASCII(n int) error {
	edges := c.edges[:n]
	missed := c.kernel.countShort(&c.vocabulary.short, c.buffer, edges, &c.finds)
	for _, i := range c.countMiddle(edges, c.finds.missed[:missed]) {
		if err := c.addASCII(int(edges[i]), int(edges[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// finds are words of a chunk that were looked for.
type finds struct {
	slots  [chunkSize]uint32 // of those that were found
	missed [chunkSize]uint16 // where the others begin in edges
}

// countShort counts the words of up to 8 bytes that lie in their first slot, and
// returns how many others it has put down as missed.
func countShort(t *shortTable, b *buffer, edges []uint16, finds *finds) int {
	keys, counts := t.keys, t.counts
	if len(counts) != len(keys) || len(keys) == 0 {
		return 0 // never: it saves the loop its bounds checks
	}
	mask, seed, missed := uint64(len(keys)-1), t.seed, 0
	for i := 0; i < len(edges)-1; i += 2 {
		start := edges[i]
		length := uint64(edges[i+1] - start)
		key := (binary.LittleEndian.Uint64(b[start:][:8]) | small) & lowBytes[length&15]
		at := hashShort(seed, key) & mask
		miss := notZero((keys[at] ^ key) | (length-1)>>3)
		counts[at] += uint32(1 - miss)
		finds.missed[missed&(chunkSize-1)] = uint16(i)
		missed += int(miss)
	}
	return missed
}

// countMiddle does the same with the words of 9 to 16 bytes among places that lie in
// the bucket of their hash, in any of its slots, and returns the other places. All
// are found before the first is counted: what was read ahead of a write to a count is
// read again when the processor finds that it is of the same word.
func (c *counter) countMiddle(edges, places []uint16) []uint16 {
	buckets := c.vocabulary.middle.buckets
	if len(buckets) == 0 {
		return nil // never, as above
	}
	if len(buckets) > cachedBuckets {
		c.fetchMiddle(edges, places)
	}
	mask, seed, found, missed := uint64(len(buckets)-1), c.vocabulary.middle.seed, 0, 0
	for _, i := range places {
		key0, key1, length := c.middleKey(edges[i], edges[i+1])
		at := hashMiddle(seed, [2]uint64{key0, key1}) & mask
		b := &buckets[at]
		other := (length - 9) >> 3 // not 0 for a word of another length
		differs0 := notZero((b.keys[0][0] ^ key0) | (b.keys[0][1] ^ key1) | other)
		differs1 := notZero((b.keys[1][0] ^ key0) | (b.keys[1][1] ^ key1) | other)
		differs2 := notZero((b.keys[2][0] ^ key0) | (b.keys[2][1] ^ key1) | other)
		c.finds.slots[found&(chunkSize-1)] = uint32(at<<2 | (differs0 + differs0&differs1))
		places[missed] = i
		miss := int(differs0 & differs1 & differs2)
		missed += miss
		found += 1 - miss
	}
	for _, slot := range c.finds.slots[:found] {
		buckets[slot>>2].counts[slot&3]++
	}
	return places[:missed]
}

// fetchMiddle reads the buckets that countMiddle will, so that they are in the cache.
// Its loop is so short that the processor has twice as many reads under way.
func (c *counter) fetchMiddle(edges, places []uint16) {
	buckets := c.vocabulary.middle.buckets
	if len(buckets) == 0 {
		return // never, as above
	}
	mask, seed, fetched := uint64(len(buckets)-1), c.vocabulary.middle.seed, uint32(0)
	for _, i := range places {
		key0, key1, _ := c.middleKey(edges[i], edges[i+1])
		fetched |= buckets[hashMiddle(seed, [2]uint64{key0, key1})&mask].counts[0]
	}
	c.fetched = fetched
}

// middleKey is the key of the word of ASCII from start to end, if it has 9 to 16 bytes.
// It is no array yet, since the compiler would have that go through memory.
func (c *counter) middleKey(start, end uint16) (key0, key1, length uint64) {
	length = uint64(end - start)
	return binary.LittleEndian.Uint64(c.buffer[start:][:8]) | small,
		(binary.LittleEndian.Uint64(c.buffer[start:][8:16]) | small) & lowBytes[(length-8)&15],
		length
}

// notZero returns 0 for 0 and 1 for any other number.
func notZero(x uint64) uint64 { return (x | -x) >> 63 }

// addASCII counts the word of ASCII in the buffer from start to end.
func (c *counter) addASCII(start, end int) error {
	b := c.buffer
	length := end - start
	switch {
	case length <= 8:
		key := (binary.LittleEndian.Uint64(b[start:]) | small) & lowBytes[length]
		return c.vocabulary.addShort(key, length)
	case length <= 16:
		return c.vocabulary.addMiddle([2]uint64{
			binary.LittleEndian.Uint64(b[start:]) | small,
			(binary.LittleEndian.Uint64(b[end-8:]) | small) >> (8 * (16 - length) & 63),
		}, length)
	case length <= maxWord:
		for i, letter := range b[start:end] {
			c.folded[i] = letter | 0x20
		}
		return c.vocabulary.add(c.folded[:length])
	}
	return c.addLong(b[start:end])
}
