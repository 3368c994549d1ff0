package samples

import (
	"encoding/binary"
	"fmt"
)

// A directory contains the numbers of the first directory of a file.
type directory struct {
	data    []byte
	order   binary.ByteOrder
	big     bool
	entries []byte
	next    int64 // offset of the next directory, 0 for the last one
}

func readDirectory(data []byte) (*directory, error) {
	if len(data) < 16 {
		return nil, ErrOther
	}
	d := &directory{data: data}
	switch string(data[:2]) {
	case "II":
		d.order = binary.LittleEndian
	case "MM":
		d.order = binary.BigEndian
	default:
		return nil, ErrOther
	}
	switch d.order.Uint16(data[2:]) {
	case 42:
	case 43:
		d.big = true
	default:
		return nil, ErrOther
	}
	at := int64(d.order.Uint32(data[4:]))
	if d.big {
		at = int64(d.order.Uint64(data[8:]))
	}
	return d, d.read(at)
}

// read reads the directory at an offset.
func (d *directory) read(at int64) error {
	head, link := int64(2), int64(4)
	if d.big {
		head, link = 8, 8
	}
	first, err := d.part(at, head)
	if err != nil {
		return err
	}
	n := int64(d.order.Uint16(first))
	if d.big {
		n = int64(d.order.Uint64(first))
	}
	if n < 0 || n > maxEntries {
		return fmt.Errorf("%w: the directory has %d entries", ErrDamaged, n)
	}
	if d.entries, err = d.part(at+head, n*d.size()); err != nil {
		return err
	}
	d.next = 0
	if next, err := d.part(at+head+n*d.size(), link); err == nil && d.big {
		d.next = int64(d.order.Uint64(next))
	} else if err == nil {
		d.next = int64(d.order.Uint32(next))
	}
	return nil
}

// pages returns the number of pictures that are not thumbnails or masks of others, at least 1.
func (d *directory) pages() int {
	const tagSubfile, reduced, mask, most = 254, 1, 4, 1000
	page, n := *d, 0
	for seen := map[int64]bool{}; len(seen) < most; {
		if page.first(tagSubfile, 0)&(reduced|mask) == 0 {
			n++
		}
		at := page.next
		if at == 0 || seen[at] || page.read(at) != nil {
			break
		}
		seen[at] = true
	}
	return max(n, 1)
}

// bytes returns the bytes of a tag, or nil if it is missing or damaged.
func (d *directory) bytes(tag uint16) []byte {
	for at := int64(0); at < int64(len(d.entries)); at += d.size() {
		e := d.entries[at : at+d.size()]
		if d.order.Uint16(e) != tag {
			continue
		}
		count, inline := int64(d.order.Uint32(e[4:])), e[8:]
		if d.big {
			count, inline = int64(d.order.Uint64(e[4:])), e[12:]
		}
		if count <= int64(len(inline)) {
			return inline[:max(count, 0)]
		}
		offset := int64(d.order.Uint32(inline))
		if d.big {
			offset = int64(d.order.Uint64(inline))
		}
		part, err := d.part(offset, count)
		if err != nil {
			return nil
		}
		return part
	}
	return nil
}

// size returns the number of bytes of an entry.
func (d *directory) size() int64 {
	if d.big {
		return 20
	}
	return 12
}

func (d *directory) part(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > int64(len(d.data)) || n > int64(len(d.data))-at {
		return nil, fmt.Errorf("%w: it refers to %d bytes at offset %d of %d", ErrDamaged, n, at, len(d.data))
	}
	return d.data[at : at+n], nil
}

// values returns the numbers of a tag, or nil if it is missing or damaged. Of fractions, it returns numerators and
// denominators.
func (d *directory) values(tag uint16) []int64 {
	for at := int64(0); at < int64(len(d.entries)); at += d.size() {
		e := d.entries[at : at+d.size()]
		if d.order.Uint16(e) != tag {
			continue
		}
		width := map[uint16]int64{1: 1, 3: 2, 4: 4, 16: 8}[d.order.Uint16(e[2:])]
		count, inline := int64(d.order.Uint32(e[4:])), e[8:]
		if d.big {
			count, inline = int64(d.order.Uint64(e[4:])), e[12:]
		}
		if d.order.Uint16(e[2:]) == typeRational {
			width, count = 4, 2*min(max(count, -1), maxValues)
		}
		if width == 0 || count < 0 || count > maxValues {
			return nil
		}
		if width*count > int64(len(inline)) {
			offset := int64(d.order.Uint32(inline))
			if d.big {
				offset = int64(d.order.Uint64(inline))
			}
			var err error
			if inline, err = d.part(offset, width*count); err != nil {
				return nil
			}
		}
		all := make([]int64, count)
		for i := range all {
			switch v := inline[int64(i)*width:]; width {
			case 1:
				all[i] = int64(v[0])
			case 2:
				all[i] = int64(d.order.Uint16(v))
			case 4:
				all[i] = int64(d.order.Uint32(v))
			default:
				all[i] = int64(d.order.Uint64(v))
			}
		}
		return all
	}
	return nil
}

// first returns the first number of a tag, or a default.
func (d *directory) first(tag uint16, missing int) int {
	all := d.values(tag)
	if len(all) == 0 {
		return missing
	}
	return int(min(max(all[0], -1), 1<<31-1))
}
