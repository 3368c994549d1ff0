package wordstats

import (
	"bytes"
	"hash/maphash"
)

// longTable is a hash table from words of any length to counts. The words are stored consecutively
// in an arena, and the slots contain their positions.
type longTable struct {
	slots []longSlot
	used  int
	arena arena
	seed  maphash.Seed
}

// longSlot is empty when its length is 0.
type longSlot struct {
	hash   uint32 // the lower half of the hash, which selects the slot
	count  uint32
	block  uint16
	length uint16
	offset uint32
}

func newLongTable(slots int) longTable {
	return longTable{
		slots: make([]longSlot, slots),
		seed:  maphash.MakeSeed(),
	}
}

// add counts a word n times and reports whether it is new.
func (t *longTable) add(word []byte, n uint32) bool {
	hash := maphash.Bytes(t.seed, word)
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.hash == uint32(hash) && int(s.length) == len(word) && bytes.Equal(t.word(s), word) {
			s.count += n
			return false
		}
		if s.length == 0 {
			*s = longSlot{hash: uint32(hash), count: n, length: uint16(len(word))}
			s.block, s.offset = t.arena.keep(word)
			t.used++
			if t.used > len(t.slots)/4*3 {
				t.grow()
			}
			return true
		}
	}
}

func (t *longTable) word(s *longSlot) []byte {
	return t.arena.blocks[s.block][s.offset:][:s.length]
}

func (t *longTable) grow() {
	larger := make([]longSlot, 2*len(t.slots))
	mask := uint64(len(larger) - 1)
	for i := range t.slots {
		s := &t.slots[i]
		if s.length == 0 {
			continue
		}
		at := uint64(s.hash) & mask
		for larger[at].length != 0 {
			at = (at + 1) & mask
		}
		larger[at] = *s
	}
	t.slots = larger
}

// reset empties the table, or replaces it as shortTable.reset does.
func (t *longTable) reset(slots, most int) {
	switch {
	case len(t.slots) > most || len(t.slots) > slots && t.used < len(t.slots)/8:
		*t = newLongTable(slots)
	case t.used > 0:
		clear(t.slots)
		t.used = 0
		t.arena.reset()
	}
}
