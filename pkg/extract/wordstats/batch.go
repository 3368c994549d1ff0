package wordstats

import (
	"encoding/binary"
	"math/bits"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// batch buffers the keys of words of up to 16 bytes. Nearly all of them are already in the tables and
// are counted without branches, so the processor can look up many words at once. This matters most
// when the vocabulary exceeds the caches.
type batch struct {
	short   [batchWords]uint64
	middle  [batchWords][2]uint64
	slots   [batchWords]uint32 // slots of the words found in the middle table
	shorts  int
	middles int
	fetched uint32 // the result of fetch, never read
}

const batchWords = 512

// hasRoom reports whether the batch has room for the given number of words of any length.
func (b *batch) hasRoom(words int) bool { return max(b.shorts, b.middles)+words <= batchWords }

// push adds the word of 1 to 16 bytes at text[start:end], and sets the bits of fold in each of its
// eight-byte halves. The caller must have checked hasRoom.
func (b *batch) push(text *simd.Buffer, start, end uint16, fold uint64) {
	length := uint64(end - start)
	key0 := binary.LittleEndian.Uint64(text[start:][:8]) | fold
	key1 := binary.LittleEndian.Uint64(text[start:][8:16]) | fold
	// The key is written to both arrays; only one of the lengths is increased.
	isMiddle := int((length - 1) >> 3)
	b.short[b.shorts&(batchWords-1)] = key0 & simd.LowBytes[length&15]
	b.shorts += 1 - isMiddle
	b.middle[b.middles&(batchWords-1)] = [2]uint64{key0, key1 & simd.LowBytes[(length-8)&15]}
	b.middles += isMiddle
}

// count counts the words of the batch and empties it.
func (v *vocabulary) count(b *batch) error {
	shorts, middles := b.short[:b.shorts], b.middle[:b.middles]
	b.shorts, b.middles = 0, 0
	for _, key := range v.short.countFirst(shorts) {
		if err := v.addShort(key, 8-bits.LeadingZeros64(key)/8); err != nil {
			return err
		}
	}
	for _, key := range v.middle.countFirst(middles, b) {
		if err := v.addMiddle(key, 16-bits.LeadingZeros64(key[1])/8); err != nil {
			return err
		}
	}
	return nil
}

// countFirst counts the keys that are in their first slot. It moves the others to the front and
// returns them.
func (t *shortTable) countFirst(sought []uint64) []uint64 {
	keys, counts := t.Keys, t.Counts
	if len(counts) != len(keys) || len(keys) == 0 {
		return nil // unreachable: lets the compiler drop bounds checks in the loop
	}
	mask, missed := uint64(len(keys)-1), 0
	for _, key := range sought {
		at := simd.Hash(t.Seed, key) & mask
		miss := simd.NotZero(keys[at] ^ key)
		counts[at] += uint32(1 - miss)
		sought[missed] = key
		missed += int(miss)
	}
	return sought[:missed]
}

// countFirst counts the keys that are in any slot of the bucket that their hash selects. It moves the
// others to the front and returns them. All keys are looked up before the first is counted: a
// processor repeats a speculative read when an earlier write to a count turns out to be to the same
// address.
func (t *middleTable) countFirst(sought [][2]uint64, batch *batch) [][2]uint64 {
	buckets := t.buckets
	if len(buckets) == 0 {
		return nil // unreachable, as above
	}
	if len(buckets) > cachedBuckets {
		batch.fetched = t.fetch(sought)
	}
	mask, found, missed := uint64(len(buckets)-1), 0, 0
	for i := range sought {
		key0, key1 := sought[i][0], sought[i][1] // a slice, because the compiler would keep an array in memory
		at := hashMiddle(t.seed, [2]uint64{key0, key1}) & mask
		b := &buckets[at]
		differs0 := simd.NotZero((b.keys[0][0] ^ key0) | (b.keys[0][1] ^ key1))
		differs1 := simd.NotZero((b.keys[1][0] ^ key0) | (b.keys[1][1] ^ key1))
		differs2 := simd.NotZero((b.keys[2][0] ^ key0) | (b.keys[2][1] ^ key1))
		batch.slots[found&(batchWords-1)] = uint32(at<<2 | (differs0 + differs0&differs1))
		sought[missed][0], sought[missed][1] = key0, key1
		miss := int(differs0 & differs1 & differs2)
		missed += miss
		found += 1 - miss
	}
	for _, slot := range batch.slots[:found] {
		buckets[slot>>2].counts[slot&3]++
	}
	return sought[:missed]
}

// fetch loads the buckets that countFirst will use into the cache. Its loop is short enough that
// the processor has twice as many reads in flight.
func (t *middleTable) fetch(sought [][2]uint64) (fetched uint32) {
	mask := uint64(len(t.buckets) - 1)
	for _, key := range sought {
		fetched |= t.buckets[hashMiddle(t.seed, key)&mask].counts[0]
	}
	return fetched
}
