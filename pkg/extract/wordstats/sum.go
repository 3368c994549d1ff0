package wordstats

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// sum accumulates the statistics of a vocabulary.
type sum struct {
	total, unique, codePoints int64
	spilled                   map[string]int64
	top                       topTen
}

// statistics returns the statistics of the vocabulary.
func (v *vocabulary) statistics() Statistics {
	s := sum{codePoints: v.digested, spilled: v.spilled, top: topTen{words: make([]topWord, 0, 10)}}
	for i, key := range v.short.Keys {
		if key != 0 {
			s.addKey([2]uint64{key}, v.short.Counts[i])
		}
	}
	for i := range v.middle.buckets {
		b := &v.middle.buckets[i]
		for j, key := range b.keys {
			if key == [2]uint64{} {
				break
			}
			s.addKey(key, b.counts[j])
		}
	}
	for i := range v.long.slots {
		if slot := &v.long.slots[i]; slot.length != 0 {
			word := v.long.word(slot)
			s.add(word, measure(word), slot.count)
		}
	}
	return Statistics{
		TotalWords:    s.total,
		UniqueWords:   s.unique,
		AvgWordLength: average(s.codePoints, s.total),
		Top10Words:    s.top.counts(),
	}
}

// addKey adds a word of up to 16 bytes, usually without converting it to a string.
func (s *sum) addKey(key [2]uint64, count uint32) {
	length := codePoints(key[0]) + codePoints(key[1])
	if s.spilled == nil && uint8(key[0]) != lowLine && s.top.isAbove(int64(count)) {
		s.unique++
		s.total += int64(count)
		s.codePoints += int64(count) * int64(length)
		return
	}
	var room [16]byte
	binary.LittleEndian.PutUint64(room[:], key[0])
	binary.LittleEndian.PutUint64(room[8:], key[1])
	s.add(room[:16-bits.LeadingZeros64(key[1])/8-bits.LeadingZeros64(key[0])/8], length, count)
}

// add adds a word in its stored form, with its number of code points. A sequence of only underscores
// is in the tables but is not a word.
func (s *sum) add(word []byte, length int, count32 uint32) {
	if bytes.Count(word, []byte{lowLine}) == len(word) {
		return
	}
	count := int64(count32)
	if s.spilled != nil {
		count += s.spilled[string(word)]
	}
	s.unique++
	s.total += count
	s.codePoints += count * int64(length)
	s.top.offer(word, count)
}

// codePoints returns the number of code points that begin in eight bytes of a key.
func codePoints(eight uint64) int {
	further := eight >> 7 &^ (eight >> 6) & (simd.High >> 7) // 1 in each continuation byte
	return 8 - bits.LeadingZeros64(eight)/8 - bits.OnesCount64(further)
}

// measure returns the number of code points of a stored word, or 0 for a word longer than maxWord.
func measure(word []byte) int {
	if len(word) > sha256.Size && bytes.IndexByte(word, digestMark) >= 0 {
		return 0
	}
	length := 0
	for ; len(word) >= 8; word = word[8:] {
		length += codePoints(binary.LittleEndian.Uint64(word))
	}
	for _, b := range word {
		length += int(1 - b>>7&^(b>>6))
	}
	return length
}
