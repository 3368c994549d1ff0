package letters

import (
	"bytes"
	"encoding/binary"
	"io"
)

// readTriples reads the triples into a hash table that is at most half full.
func (l *Language) readTriples(in *bytes.Reader) error {
	count, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	if count > uint64(in.Len()) {
		return io.ErrUnexpectedEOF
	}
	size := uint64(1)
	for size < 2*count {
		size *= 2
	}
	l.triples = make([]uint32, size)
	key := uint32(0)
	for range count {
		step, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		key += uint32(step)
		cost, err := in.ReadByte()
		if err != nil {
			return err
		}
		at := l.slot(key)
		for l.triples[at] != 0 {
			at = (at + 1) & (len(l.triples) - 1)
		}
		l.triples[at] = (key+1)<<8 | uint32(cost)
	}
	return nil
}

// slot returns where the search for a triple begins, by multiplicative hashing (D. E. Knuth, The Art of Computer
// Programming, volume 3, 6.4).
func (l *Language) slot(key uint32) int {
	return int(key*2654435769>>8) & (len(l.triples) - 1)
}

// triple returns the cost of the third letter of a triple, if it is frequent.
func (l *Language) triple(key uint32) (cost int, ok bool) {
	for at := l.slot(key); ; at = (at + 1) & (len(l.triples) - 1) {
		switch entry := l.triples[at]; {
		case entry == 0:
			return 0, false
		case entry>>8 == key+1:
			return int(entry & 0xFF), true
		}
	}
}
