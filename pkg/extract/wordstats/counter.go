package wordstats

import (
	"encoding/binary"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// Kernel returns the name of the kernel that scans ASCII in this process; see package simd.
func Kernel() string { return simd.Fastest().Name }

// counter counts the words of one text.
type counter struct {
	vocabulary vocabulary
	kernel     simd.Kernel
	lower      cases.Caser
	strict     bool                 // from Limits
	long       *longSegment         // the long segment that continues at the start of the buffer, if any
	folded     [3 * maxSegment]byte // buffer for a word in lower case
	sinceSpill int                  // upper bound of the bytes counted since the last spill
	masks      [simd.ChunkBlocks]simd.Masks
	changes    [simd.ChunkBlocks]uint64
	edges      simd.Edges
	finds      simd.Finds
	segments   segments
	batch      batch
	buffer     *simd.Buffer
}

func newCounter() *counter {
	return &counter{vocabulary: newVocabulary(), kernel: simd.Fastest(), lower: cases.Lower(language.Und), buffer: new(simd.Buffer)}
}

// reset prepares the counter for another text.
func (c *counter) reset(limits Limits) {
	c.vocabulary.reset(limits)
	c.strict, c.segments.malformed = limits.Strict, false
	c.long, c.sinceSpill = nil, 0
	c.batch.shorts, c.batch.middles = 0, 0
}

// scan counts the words of the buffer between at and to, which is at most simd.BufferSize. at is where
// the previous scan stopped. It returns the position where it stopped: to, or the start of a segment
// that may continue, less than maxSegment before to. atEOF means that nothing follows; then it stops
// at to.
func (c *counter) scan(at, to int, atEOF bool) (int, error) {
	done, err := c.scanAll(at, to, atEOF)
	if err != nil {
		return done, err
	}
	return done, c.vocabulary.count(&c.batch)
}

// scanAll is like scan, but may leave words in the batch.
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

// asciiFollows reports whether enough ASCII follows a position in the buffer to make scanASCII
// faster.
func asciiFollows(b *simd.Buffer, at, to int) bool {
	const ahead = 32 // bytes
	first := binary.LittleEndian.Uint64(b[uint16(at):][:8])
	return first&simd.High == 0 && to-at >= ahead && simd.IsASCII(b[at:])
}

// countSegments counts the first n segments. The first one begins at position at of the buffer.
func (c *counter) countSegments(at, n int) error {
	if !c.batch.hasRoom(n) {
		if err := c.vocabulary.count(&c.batch); err != nil {
			return err
		}
	}
	const folds = beyondASCII | changesCase // lower-casing such a word requires more than setting bits
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
			c.batch.push(c.buffer, start, end, simd.Small&(uint64(flags/beyondASCII)-1))
		}
		start = end
	}
	return nil
}

// scanLong continues the long segment and clears it at its end.
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

// add counts a word of any length in its original case. properties combines those of its
// code points with OR.
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
	if w.properties&letterOrDigit == 0 { // only underscores, which scanASCII treats as a word
		return nil
	}
	return c.vocabulary.addDigest(w)
}
