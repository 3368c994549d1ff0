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
	strict     bool                 // see Limits
	long       *longSegment         // the segment that the buffer begins within, when it is long
	folded     [3 * maxSegment]byte // room for a word in lower case
	sinceSpill int                  // bytes counted since the last spill, at most
	masks      [chunkBlocks]masks
	changes    [chunkBlocks]uint64
	edges      edges
	finds      finds
	segments   segments
	batch      batch
	buffer     *buffer
}

func newCounter() *counter {
	return &counter{vocabulary: newVocabulary(), kernel: fastestKernel(), lower: cases.Lower(language.Und), buffer: new(buffer)}
}

// reset prepares the counter for another text.
func (c *counter) reset(limits Limits) {
	c.vocabulary.reset(limits)
	c.strict, c.segments.malformed = limits.Strict, false
	c.long, c.sinceSpill = nil, 0
	c.batch.shorts, c.batch.middles = 0, 0
}

// scan counts the words of the buffer from at to to, at most bufferSize. The byte at
// at follows the last that the scan before has consumed. scan returns how far it has
// consumed them: to to, or to the start of a segment that may go on, less than
// maxSegment before. atEOF says that nothing follows; then it consumes all.
func (c *counter) scan(at, to int, atEOF bool) (int, error) {
	done, err := c.scanAll(at, to, atEOF)
	if err != nil {
		return done, err
	}
	return done, c.vocabulary.count(&c.batch)
}

// scanAll does what scan does but for the words that it leaves in the batch.
func (c *counter) scanAll(at, to int, atEOF bool) (int, error) {
	for at < to || c.long != nil {
		if c.long != nil {
			n, err := c.scanLong(c.buffer[at:to], atEOF)
			at += n
			if err != nil || c.long != nil {
				return at, err
			}
			continue
		}
		if asciiFollows(c.buffer, at, to) {
			next, err := c.scanASCII(at, to, atEOF)
			if err != nil {
				return at, err
			}
			at = next
			if at == to {
				return at, nil
			}
		}
		n, end := c.segments.find(c.buffer, at, to, atEOF)
		if c.strict && c.segments.malformed {
			return at, ErrNotUTF8
		}
		if n == 0 {
			if to-at < maxSegment {
				return at, nil
			}
			c.long = newLongSegment()
			continue
		}
		if err := c.countSegments(at, n); err != nil {
			return at, err
		}
		at = end
	}
	return at, nil
}

// asciiFollows reports whether the way of scanASCII pays from a place in the buffer.
func asciiFollows(b *buffer, at, to int) bool {
	const ahead = 32 // bytes
	first := binary.LittleEndian.Uint64(b[uint16(at):][:8])
	return first&each80 == 0 && to-at >= ahead && isASCII(b[at:])
}

// countSegments counts the first n segments, which begin at a place in the buffer.
func (c *counter) countSegments(at, n int) error {
	if !c.batch.hasRoom(n) {
		if err := c.vocabulary.count(&c.batch); err != nil {
			return err
		}
	}
	const folds = beyondASCII | changesCase // more than bits
	start := uint16(at)
	for i, end := range c.segments.ends[:n] {
		flags := c.segments.flags[i]
		switch {
		case flags&letterOrDigit == 0:
		case end-start > 16 || flags&folds == folds:
			if err := c.add(c.buffer[start:end], flags); err != nil {
				return err
			}
		default:
			c.batch.push(c.buffer, start, end, small&(uint64(flags/beyondASCII)-1))
		}
		start = end
	}
	return nil
}

// scanLong goes on in the long segment and drops it at its end.
func (c *counter) scanLong(data []byte, atEOF bool) (int, error) {
	n, words, err := c.long.scan(data, atEOF)
	if err != nil {
		return n, err
	}
	if c.strict && c.long.malformed {
		return n, ErrNotUTF8
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
