package wordstats

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// vocabulary counts the words of a text. Words of up to 8 bytes are integers, those of up to 16 bytes
// pairs of integers, and only longer ones are compared byte by byte.
//
// A word is stored as the UTF-8 of its lower case. In an ASCII word each byte has the bit 0x20 set:
// this makes letters lower case, leaves digits and middle characters unchanged, and maps the
// underscore to DEL, which no such word contains.
type vocabulary struct {
	limit  int64 // from Limits
	short  shortTable
	middle middleTable
	long   longTable
	bytes  int64 // total length of the distinct words
	// digested is the number of code points of all words longer than maxWord.
	digested int64
	// spilled contains counts moved out of the tables before they exceed 32 bits.
	spilled map[string]int64
}

const (
	firstSlots = 1024
	// maxSlots is the maximum size of a table that is cleared and reused for the next text.
	maxSlots = 16 * 1024
)

func newVocabulary() vocabulary {
	seed := rand.Uint64() | 1 // random, so that no text can be crafted to collide; see simd.Hash
	return vocabulary{
		short:  newShortTable(firstSlots, seed),
		middle: newMiddleTable(firstSlots/4, seed),
		long:   newLongTable(firstSlots / 4),
	}
}

// reset empties the vocabulary for another text.
func (v *vocabulary) reset(limits Limits) {
	v.limit = cmp.Or(limits.Vocabulary, defaultVocabulary)
	v.short.reset(firstSlots, maxSlots)
	v.middle.reset(firstSlots/4, maxSlots)
	v.long.reset(firstSlots/4, maxSlots)
	v.bytes, v.digested, v.spilled = 0, 0, nil
}

const (
	multiplier1 = 0xA0761D6478BD642F // the constant of wyhash: odd, half of the bits set
	multiplier2 = 0xE7037ED1A0B428DB
)

// hashMiddle folds 128-bit products of a word and the seed, as wyhash does.
func hashMiddle(seed uint64, key [2]uint64) uint64 {
	high, low := bits.Mul64(key[0]^seed, multiplier1)
	high, low = bits.Mul64(high^low^key[1], multiplier2)
	return high ^ low
}

// add counts a word in its stored form.
func (v *vocabulary) add(word []byte) error {
	n := len(word)
	switch {
	case n <= 8:
		var room [8]byte
		copy(room[:], word)
		return v.addShort(binary.LittleEndian.Uint64(room[:]), n)
	case n <= 16:
		return v.addMiddle([2]uint64{
			binary.LittleEndian.Uint64(word),
			binary.LittleEndian.Uint64(word[n-8:]) >> (8 * (16 - n) & 63),
		}, n)
	}
	if v.long.add(word, 1) {
		return v.grown(n)
	}
	return nil
}

func (v *vocabulary) addShort(key uint64, length int) error {
	if v.short.add(key, 1) {
		return v.grown(length)
	}
	return nil
}

func (v *vocabulary) addMiddle(key [2]uint64, length int) error {
	if v.middle.add(key, 1) {
		return v.grown(length)
	}
	return nil
}

// addDigest counts a word longer than maxWord.
func (v *vocabulary) addDigest(w *longWord) error {
	v.digested += w.codePoints
	return v.add(w.key())
}

// grown checks the limit after a new word of length bytes was added.
func (v *vocabulary) grown(length int) error {
	v.bytes += int64(length)
	if v.bytes+wordPlace*v.unique() > v.limit {
		return &VocabularyError{Limit: v.limit}
	}
	return nil
}

func (v *vocabulary) unique() int64 {
	return int64(v.short.used + v.middle.used + v.long.used)
}

// each calls visit for all words, in their stored form, with their counts in the tables. visit returns
// the new count and must not retain the bytes.
func (v *vocabulary) each(visit func(word []byte, count uint32) uint32) {
	var room [16]byte
	for i, key := range v.short.Keys {
		if key != 0 {
			binary.LittleEndian.PutUint64(room[:], key)
			v.short.Counts[i] = visit(room[:8-bits.LeadingZeros64(key)/8], v.short.Counts[i])
		}
	}
	for i := range v.middle.buckets {
		b := &v.middle.buckets[i]
		for j, key := range b.keys {
			if key != [2]uint64{} {
				binary.LittleEndian.PutUint64(room[:], key[0])
				binary.LittleEndian.PutUint64(room[8:], key[1])
				b.counts[j] = visit(room[:16-bits.LeadingZeros64(key[1])/8], b.counts[j])
			}
		}
	}
	for i := range v.long.slots {
		if s := &v.long.slots[i]; s.length != 0 {
			s.count = visit(v.long.word(s), s.count)
		}
	}
}

// spillEvery is the maximum number of bytes of text between calls of spill: 2^31 bytes contain at most
// 2^30 words, since a byte separates ASCII words and other words are longer than one byte.
const spillEvery = 1 << 31

// spill moves out the counts that could exceed 32 bits before the next call.
func (v *vocabulary) spill() {
	v.each(func(word []byte, count uint32) uint32 {
		if count < 1<<31 {
			return count
		}
		if v.spilled == nil {
			v.spilled = map[string]int64{}
		}
		v.spilled[string(word)] += int64(count)
		return 0
	})
}

// merge adds the counts of w to those of v. It removes the large counts from w.
func (v *vocabulary) merge(w *vocabulary) error {
	v.spill()
	w.spill() // each count is below 2^31 here, so the sum of two is below 2^32
	v.digested += w.digested
	for word, count := range w.spilled {
		if v.spilled == nil {
			v.spilled = map[string]int64{}
		}
		v.spilled[word] += count
	}
	for i, key := range w.short.Keys {
		if key != 0 && v.short.add(key, w.short.Counts[i]) {
			if err := v.grown(8 - bits.LeadingZeros64(key)/8); err != nil {
				return err
			}
		}
	}
	for i := range w.middle.buckets {
		b := &w.middle.buckets[i]
		for j, key := range b.keys {
			if key != [2]uint64{} && v.middle.add(key, b.counts[j]) {
				if err := v.grown(16 - bits.LeadingZeros64(key[1])/8); err != nil {
					return err
				}
			}
		}
	}
	for i := range w.long.slots {
		s := &w.long.slots[i]
		if s.length != 0 && v.long.add(w.long.word(s), s.count) {
			if err := v.grown(int(s.length)); err != nil {
				return err
			}
		}
	}
	return nil
}
