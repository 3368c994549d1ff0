// Package wordstats counts the words of a text: their number, the number of distinct words, their
// average length, and the most frequent ones.
//
// A word is a word segment of Unicode Standard Annex #29, version 17.0.0, that contains at least one
// letter or number (general category L or N). Words are compared in lower case, with the
// language-independent mapping that the Unicode Standard defines for complete words; it includes the
// final sigma. Bytes that are not valid UTF-8 are read as U+FFFD, which is not a letter and ends a word.
//
// The text is read once, in chunks, and only its vocabulary is held in memory. Counts are exact,
// wherever the text is split. For a word longer than 1 KiB in lower case, only its first bytes, at most
// 32 KiB, and its SHA-256 are stored, so a word of a gigabyte takes little memory. Such words are
// compared like all others, except that two with the same first 32 KiB are ordered by their SHA-256.
//
// # Method
//
// Two loops scan the text, with the same results (ascii.go, segment.go).
//
// The first scans ASCII. It turns 64 bytes at a time into bit masks: letters, digits and underscores;
// other visible characters; bytes that are not ASCII. The portable kernel processes eight bytes in an
// integer (SWAR: Lamport, "Multiple byte processing with full-word instructions", CACM 18(8), 1975); the
// other kernels use AVX2 or AVX-512. Words begin and end where the mask of word bytes changes. The
// positions are extracted from the changes as in simdjson (Langdale and Lemire, "Parsing gigabytes of
// JSON per second", VLDB Journal 28, 2019), but eight bits at once from a table, or 64 where AVX-512 can
// compress bytes. A character that may join two word bytes (don't, 3.14) is checked separately: in ASCII,
// rules WB6, WB7, WB11 and WB12 depend only on its neighbors. The second loop handles ASCII next to other
// characters.
//
// In the second loop, a table maps each code point to its class, and a finite automaton applies the
// rules of UAX #29, section 4.1 (wordbreak.go). Where a rule looks ahead, over any number of marks,
// the automaton enters an open state and remembers where the segment ends if the rule does not apply.
// The table is generated from the libraries that define a word here, and tested against them.
//
// The vocabulary is three hash tables with open addressing, chosen by the length of the word: one
// integer, two integers, or bytes in an arena (vocabulary.go). Known words are counted without a
// branch, many at once (batch.go); with AVX-512, eight per step. A separate loop handles the few that
// are new or not in their first slot. The hashes are products with a secret random number, mixed as in
// MurmurHash3 (github.com/aappleby/smhasher) or folded as in wyhash (github.com/wangyi-fudan/wyhash),
// or come from hash/maphash. Statistics that depend on the vocabulary alone, such as the number of
// code points, are computed at the end.
//
// A large text with random access is counted by several readers, each with its own vocabulary; the
// vocabularies are merged at the end (parts.go). For a text with one reader, a goroutine reads ahead
// (ahead.go).
package wordstats

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// Statistics contains the word statistics of a text.
type Statistics struct {
	TotalWords  int64
	UniqueWords int64
	// AvgWordLength is in code points per word in lower case, rounded half up to
	// 2 decimals; 0 when there are no words.
	AvgWordLength float64
	// Top10Words are the most frequent words, by descending count and then in code point order. They are
	// fewer than ten if the text has fewer distinct words, and never nil.
	Top10Words []WordCount
}

// WordCount is a word in lower case and its number of occurrences. For a word longer than 1 KiB,
// Word is a prefix followed by "…", at most 256 bytes in total; two long words may have the same
// prefix.
type WordCount struct {
	Word  string
	Count int64
}

// Limits bound the memory of a count. The zero value selects the defaults.
type Limits struct {
	// Vocabulary is the maximum number of bytes for the distinct words of a text. Each word counts
	// as its length plus wordPlace bytes. 0 means 256 MiB, which is 3.7 million words of eight
	// letters.
	Vocabulary int64
	// Strict makes the count fail with ErrNotUTF8 at the first byte that is not valid UTF-8.
	Strict bool
}

// ErrNotUTF8 means that a text contains bytes that are not UTF-8.
var ErrNotUTF8 = errors.New("the text is not UTF-8")

const (
	defaultVocabulary = 256 << 20
	// wordPlace is the maximum overhead of a word in the tables, in bytes: 12 for a slot of the short
	// table, 64 for a bucket of the middle table. After a table has grown, a quarter of its slots are
	// in use, and a bucket has one word. During growth, a table uses 50% more.
	wordPlace = 64
)

// VocabularyError means that a text has more distinct words than the limit allows.
type VocabularyError struct {
	Limit int64 // bytes
}

func (e *VocabularyError) Error() string {
	return e.Unwrap().Error()
}

// Unwrap returns the reason.
func (e *VocabularyError) Unwrap() error { return reason.TooManyWords.Fill(wordPlace, e.Limit) }

// Count counts the words of the UTF-8 text in r within the default limits. It returns a
// *VocabularyError if the text exceeds them, and the error of r if reading fails.
func Count(r io.Reader) (Statistics, error) {
	return Limits{}.Count(r)
}

// Count is like the function Count, but applies the limits l.
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

// counters is a pool, because creating tables and buffers costs more than counting a small text.
var counters = sync.Pool{New: func() any { return newCounter() }}

// countFrom counts the text of r to its end.
func (c *counter) countFrom(r io.Reader) error {
	return c.countAll(func(left []byte) (int, error) { return c.fill(r, left) })
}

// countAll counts a text to its end. next reads the next bytes into the buffer at maxSegment and
// copies the unprocessed bytes in front of them. It returns the number of bytes read, with io.EOF
// if they are the last.
func (c *counter) countAll(next func(left []byte) (int, error)) error {
	var left []byte // unprocessed bytes, fewer than maxSegment
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

// fill reads until b is full or an error occurs. Unlike io.ReadFull it returns io.EOF only at the end
// of the text; it does not change the io.ErrUnexpectedEOF of an interrupted body.
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
