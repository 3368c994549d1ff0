// Package wordstats counts the words of a text: how many, how many different
// ones, how long they are, and which ones are the most frequent.
//
// A word is a word segment of Unicode Standard Annex #29, version 17.0.0, that
// holds at least one letter or number (general category L or N). Words are equal
// when they are equal in lower case: that of the Unicode Standard for a whole
// word with no language given, so that a final sigma is one. Bytes that are not
// UTF-8 read as U+FFFD, which is no letter and ends a word.
//
// The text is read once, in chunks, and what is kept is its vocabulary: counts
// are exact for any text, however it is cut. A word longer than 1 KiB in lower
// case is kept as its start, of at most 32 KiB, and its SHA-256, so that a word of
// a gigabyte takes little memory. Such words are compared like all others; only the
// order of two that share their first 32 KiB is that of their SHA-256.
//
// # Method
//
// There are two ways through a text, and both cut it alike (ascii.go, segment.go).
//
// Where there is ASCII, 64 bytes at a time become bit masks: which are letters,
// digits and underscores, which are other visible characters, which are not ASCII.
// The portable kernel does this with eight bytes in an integer (SWAR: Lamport,
// "Multiple byte processing with full-word instructions", CACM 18(8), 1975), the
// others with AVX2 or AVX-512; a processor without them uses the first. Words begin
// and end where the mask of word bytes changes, and the places are taken out of the
// changes as simdjson does (Langdale and Lemire, "Parsing gigabytes of JSON per
// second", VLDB Journal 28, 2019), but eight bits at once from a table, or 64 where
// AVX-512 can compress bytes. A character between two word bytes that may join them
// (don't, 3.14) is looked at by itself: rules WB6, WB7, WB11 and WB12 need no more than
// its neighbours there. ASCII next to other characters is left to the second way.
//
// Elsewhere, a table gives each code point its class, and a finite automaton
// follows the rules of UAX #29, section 4.1 (wordbreak.go). Where a rule looks
// ahead, over any number of marks, the automaton is in an open state and remembers
// where the segment ends if the look is in vain. The table is generated from the
// libraries that define a word here, and tested against them.
//
// The vocabulary is three hash tables with open addressing, by the length of the
// word: one integer, two integers, bytes in an arena (vocabulary.go). Known words
// are counted without a branch, many at once (batch.go), with AVX-512 eight at each
// step; the few that are new or not where they are looked for first take another loop.
// The hashes are products with a secret number, mixed as MurmurHash3 does
// (github.com/aappleby/smhasher) or folded as wyhash does
// (github.com/wangyi-fudan/wyhash), or are those of hash/maphash. What is a property
// of the vocabulary alone, such as the number of code points, is computed from it at
// the end.
//
// A large text that can be read from any place is counted by several readers, each
// with a vocabulary, which become one at the end (parts.go). One that is read by one
// reader is read ahead of the counting (ahead.go).
package wordstats

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/assay-project/assay/services/analyzer/textfile/wordstats/simd"
)

// Statistics are those of one text.
type Statistics struct {
	TotalWords  int64
	UniqueWords int64
	// AvgWordLength is in code points per word in lower case, rounded half up to
	// 2 decimals; 0 when there are no words.
	AvgWordLength float64
	// Top10Words are the most frequent words, by falling count, then in code
	// point order; fewer when there are fewer different words, and never nil.
	Top10Words []WordCount
}

// WordCount is a word in lower case and how often it occurs. A word longer than
// 1 KiB is shown as its start, and is at most 256 bytes long with the "…" at its
// end. Two long words may be shown alike.
type WordCount struct {
	Word  string
	Count int64
}

// Limits are those of counting.
type Limits struct {
	// Vocabulary is how many bytes the different words of a text may take, each with
	// wordPlace more than its own; 0 means 256 MiB, which is 3.7 million words of
	// eight letters.
	Vocabulary int64
	// Strict ends the count with ErrNotUTF8 at a byte that is not UTF-8.
	Strict bool
}

// ErrNotUTF8 means that a text has bytes that are not UTF-8.
var ErrNotUTF8 = errors.New("the text is not UTF-8")

const (
	defaultVocabulary = 256 << 20
	// wordPlace is the most that the tables take for a word beside its bytes: 12 for a
	// slot of the short ones and 64 for a bucket of the middle ones. When the tables
	// have just grown, a quarter of those slots is in use, and such a bucket has one
	// word. Growing itself needs half as much again.
	wordPlace = 64
)

// VocabularyError means that a text has more distinct words than the limit allows.
type VocabularyError struct {
	Limit int64 // bytes
}

func (e *VocabularyError) Error() string {
	return fmt.Sprintf("the text has too many distinct words: with %d bytes of overhead each, they take more than %d bytes", wordPlace, e.Limit)
}

// Count reads a text in UTF-8 to its end and counts its words within the default
// limits. It returns a *VocabularyError when the text passes them, and the error
// of r when reading fails.
func Count(r io.Reader) (Statistics, error) {
	return Limits{}.Count(r)
}

// Count is like the function Count, within the limits l.
func (l Limits) Count(r io.Reader) (Statistics, error) {
	return l.count(func(c *counter) error { return c.countFrom(r) })
}

func (l Limits) count(text func(*counter) error) (Statistics, error) {
	c := counters.Get().(*counter)
	defer counters.Put(c)
	c.reset(l)
	if err := text(c); err != nil {
		return Statistics{}, err
	}
	return c.vocabulary.statistics(), nil
}

// counters are kept for the next text, since their tables and buffers cost more
// than a small text does.
var counters = sync.Pool{New: func() any { return newCounter() }}

// countFrom counts the text of r to its end.
func (c *counter) countFrom(r io.Reader) error {
	return c.countAll(func(left []byte) (int, error) { return c.fill(r, left) })
}

// countAll counts a text to its end. next reads the next bytes into the buffer,
// from maxSegment on, and moves the unprocessed rest in front of it. It
// returns the number of bytes read, with io.EOF if they are the last.
func (c *counter) countAll(next func(left []byte) (int, error)) error {
	var left []byte // less than maxSegment
	for {
		n, err := next(left)
		atEOF := errors.Is(err, io.EOF)
		if err != nil && !atEOF {
			return fmt.Errorf("reading the text: %w", err)
		}
		end := maxSegment + n
		done, err := c.scan(maxSegment-len(left), end, atEOF)
		if err != nil || atEOF {
			return err
		}
		left = c.buffer[done:end]
		if c.sinceSpill += n; c.sinceSpill > spillEvery-simd.BufferSize {
			c.vocabulary.spill()
			c.sinceSpill = 0
		}
	}
}

// fill reads the next bytes for countAll.
func (c *counter) fill(r io.Reader, left []byte) (int, error) {
	copy(c.buffer[maxSegment-len(left):], left)
	return fill(r, c.buffer[maxSegment:simd.BufferSize])
}

// fill reads until b is full or there is an error. Unlike io.ReadFull it gives
// io.EOF at the end of the text only, and not for a body that breaks off, which is
// an io.ErrUnexpectedEOF.
func fill(r io.Reader, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		more, err := r.Read(b[n:])
		n += more
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
