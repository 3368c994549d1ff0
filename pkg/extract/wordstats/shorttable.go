package wordstats

import "github.com/assay-project/assay/pkg/extract/wordstats/simd"

// shortTable is a simd.Table that grows.
type shortTable struct {
	simd.Table
	used int
}

func newShortTable(slots int, seed uint64) shortTable {
	return shortTable{Table: simd.Table{
		Keys:   make([]uint64, slots),
		Counts: make([]uint32, slots),
		Seed:   seed,
	}}
}

// add counts a key n times and reports whether it is new.
func (t *shortTable) add(key uint64, n uint32) bool {
	mask := uint64(len(t.Keys) - 1)
	first := simd.Hash(t.Seed, key) & mask
	for at := first; ; at = (at + 1) & mask {
		if t.Keys[at] == key {
			t.Counts[at] += n
			if t.Counts[at] > t.Counts[first] {
				// Swap the word with the one in its first slot. The other word is still found at
				// slot at, because no slot between them is empty.
				t.Keys[at], t.Keys[first] = t.Keys[first], key
				t.Counts[at], t.Counts[first] = t.Counts[first], t.Counts[at]
			}
			return false
		}
		if t.Keys[at] == 0 {
			t.Keys[at] = key
			t.Counts[at] = n
			t.used++
			if t.isFull() {
				t.grow()
			}
			return true
		}
	}
}

// cachedSlots is the number of slots that fit into the second-level caches of current processors.
const cachedSlots = 1 << 15

// isFull reports whether the table must grow. A small table grows early, which shortens searches and
// costs little memory.
func (t *shortTable) isFull() bool {
	if len(t.Keys) <= cachedSlots {
		return t.used > len(t.Keys)/2
	}
	return t.used > len(t.Keys)/8*5
}

// grow doubles the table. A word moves to the slot with the same index or to the corresponding slot in
// the upper half, so both halves are written in order.
func (t *shortTable) grow() {
	larger := newShortTable(2*len(t.Keys), t.Seed)
	mask := uint64(len(larger.Keys) - 1)
	for i, key := range t.Keys {
		if key == 0 {
			continue
		}
		at := simd.Hash(t.Seed, key) & mask
		for larger.Keys[at] != 0 {
			at = (at + 1) & mask
		}
		larger.Keys[at] = key
		larger.Counts[at] = t.Counts[i]
	}
	larger.used = t.used
	*t = larger
}

// reset empties the table. It replaces a table with more than most slots, or with many more slots
// than the last text needed, by one with the given number of slots: for a small text, clearing a
// large table costs more than the allocation.
func (t *shortTable) reset(slots, most int) {
	switch {
	case len(t.Keys) > most || len(t.Keys) > slots && t.used < len(t.Keys)/8:
		*t = newShortTable(slots, t.Seed)
	case t.used > 0:
		clear(t.Keys) // the count of an empty slot is not read
		t.used = 0
	}
}
