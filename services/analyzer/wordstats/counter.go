package wordstats

import (
	"encoding/binary"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// counter counts the words of one text.
type counter struct {
	vocabulary vocabulary
	kernel     kernel
	lower      cases.Caser
	long       *longSegment         // the segment that the buffer begins within, when it is long
	folded     [3 * maxSegment]byte // room for a word in lower case
	sinceSpill int                  // bytes counted since the last spill, at most
	masks      [chunkBlocks]masks
	changes    [chunkBlocks]uint64
	edges      edges
	finds      finds
	fetched    uint32 // what fetchMiddle read, which nobody needs
	buffer     *buffer
}

// asciiAhead is how much ASCII must follow for the way of scanASCII to pay.
const asciiAhead = 32 // bytes

func newCounter() *counter {
	return &counter{vocabulary: newVocabulary(), kernel: fastestKernel(), lower: cases.Lower(language.Und), buffer: new(buffer)}
}

// reset prepares the counter for another text.
func (c *counter) reset(limits Limits) {
	c.vocabulary.reset(limits)
	c.long, c.sinceSpill = nil, 0
}

// scan counts the words of the buffer from at to to, at most bufferSize. The byte at
// at follows the last that the scan before has consumed. scan returns how far it has
// consumed them: to to, or to the start of a segment that may go on, less than
// maxSegment before. atEOF says that nothing follows; then it consumes all.
func (c *counter) scan(at, to int, atEOF bool) (int, error) {
	for at < to || c.long != nil {
		if c.long != nil {
			n, err := c.scanLong(c.buffer[at:to], atEOF)
			at += n
			if err != nil || c.long != nil {
				return at, err
			}
			continue
		}
		if to-at >= asciiAhead && isASCII(c.buffer[at:]) {
			next, err := c.scanASCII(at, to, atEOF)
			if err != nil {
				return at, err
			}
			at = next
			if at == to {
				return at, nil
			}
		}
		at = skipSeparators(c.buffer, at, to)
		s := findSegment(c.buffer, at, to, atEOF)
		if !s.complete {
			if to-at < maxSegment {
				return at, nil
			}
			c.long = newLongSegment()
			continue
		}
		if s.flags&letterOrDigit != 0 {
			if err := c.addSegment(at, s); err != nil {
				return at, err
			}
		}
		at = s.end
	}
	return at, nil
}

// addSegment counts the segment s that begins at a place in the buffer.
func (c *counter) addSegment(at int, s segment) error {
	if s.flags&beyondASCII == 0 {
		return c.addASCII(at, s.end)
	}
	word := c.buffer[at:s.end]
	if s.flags&changesCase != 0 || len(word) > 16 {
		return c.add(word, s.flags)
	}
	if len(word) <= 8 {
		key := binary.LittleEndian.Uint64(c.buffer[at:]) & (^uint64(0) >> ((64 - 8*len(word)) & 63))
		return c.vocabulary.addShort(key, len(word))
	}
	return c.vocabulary.addMiddle([2]uint64{
		binary.LittleEndian.Uint64(word),
		binary.LittleEndian.Uint64(word[len(word)-8:]) >> (8 * (16 - len(word)) & 63),
	}, len(word))
}

// scanLong goes on in the long segment and drops it at its end.
func (c *counter) scanLong(data []byte, atEOF bool) (int, error) {
	n, words, err := c.long.scan(data, atEOF)
	if err != nil {
		return n, err
	}
	if c.long.ended {
		c.long = nil
	}
	for _, w := range words {
		if w.properties&letterOrDigit == 0 {
			continue
		}
		if w.isShort() {
			err = c.add(w.start, w.properties)
		} else {
			err = c.vocabulary.addDigest(w)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// add counts a word as it came, of any length, whose code points have these properties.
func (c *counter) add(word []byte, properties uint8) error {
	if len(word) > maxSegment {
		return c.addLong(word)
	}
	key, err := c.fold(word, properties)
	if err != nil {
		return err
	}
	if len(key) > maxWord {
		return c.addLong(word)
	}
	return c.vocabulary.add(key)
}

// addLong counts a word that is longer than maxWord in lower case.
func (c *counter) addLong(word []byte) error {
	w := newLongWord()
	for _, r := range string(word) {
		w.append(r)
	}
	if w.properties&letterOrDigit == 0 { // low lines, which scanASCII takes for a word
		return nil
	}
	return c.vocabulary.addDigest(w)
}
