package wordstats

// shortTable is a hash table from words of up to 8 bytes to counts: open addressing,
// linear probing, keys and counts in arrays of their own, so that the keys lie
// dense in the cache. The number of slots is a power of two, and the lower bits of
// a hash are the first slot to look at. The zero key is an empty slot.
type shortTable struct {
	keys   []uint64
	counts []uint32
	used   int
	seed   uint64
}

func newShortTable(slots int, seed uint64) shortTable {
	return shortTable{
		keys:   make([]uint64, slots),
		counts: make([]uint32, slots),
		seed:   seed,
	}
}

// add counts a key n times and reports whether it is new.
func (t *shortTable) add(key uint64, n uint32) bool {
	mask := uint64(len(t.keys) - 1)
	first := hashShort(t.seed, key) & mask
	for at := first; ; at = (at + 1) & mask {
		if t.keys[at] == key {
			t.counts[at] += n
			if t.counts[at] > t.counts[first] {
				// Frequent words move to where they are looked for first. A search
				// for the other word that leads to first finds all slots up to at full.
				t.keys[at], t.keys[first] = t.keys[first], key
				t.counts[at], t.counts[first] = t.counts[first], t.counts[at]
			}
			return false
		}
		if t.keys[at] == 0 {
			t.keys[at] = key
			t.counts[at] = n
			t.used++
			if t.isFull() {
				t.grow()
			}
			return true
		}
	}
}

// cachedSlots are at most as many as the second-level caches of today hold.
const cachedSlots = 1 << 15

// isFull reports whether the table is to grow. A small one does so early, since what
// it saves in searches costs little memory.
func (t *shortTable) isFull() bool {
	if len(t.keys) <= cachedSlots {
		return t.used > len(t.keys)/2
	}
	return t.used > len(t.keys)/8*5
}

// grow doubles the table. A word goes to the slot of the same number or to that of
// the other half, so that both halves are written in order.
func (t *shortTable) grow() {
	larger := newShortTable(2*len(t.keys), t.seed)
	mask := uint64(len(larger.keys) - 1)
	for i, key := range t.keys {
		if key == 0 {
			continue
		}
		at := hashShort(t.seed, key) & mask
		for larger.keys[at] != 0 {
			at = (at + 1) & mask
		}
		larger.keys[at] = key
		larger.counts[at] = t.counts[i]
	}
	larger.used = t.used
	*t = larger
}

// reset empties the table. It lets a table go that is beyond most slots, or that
// is larger than the text before needed, since clearing it would cost the next
// small text more than a new one with so many slots.
func (t *shortTable) reset(slots, most int) {
	switch {
	case len(t.keys) > most || len(t.keys) > slots && t.used < len(t.keys)/8:
		*t = newShortTable(slots, t.seed)
	case t.used > 0:
		clear(t.keys) // the count of an empty slot is never read
		t.used = 0
	}
}
